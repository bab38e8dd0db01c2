/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectDifferenceTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"a":1}                | {"a":1}                | []
                    {"a":1,"b":2}          | {"a":3}                | [{"op":"remove","path":"/b"},{"op":"replace","path":"/a","value":3}]
                    {"a":null}             | {"a":{},"x/y~z":null}  | [{"op":"replace","path":"/a","value":{}},{"op":"add","path":"/x~1y~0z","value":null}]
                    {"a":[1,{"b":2}]}      | {"a":[1,{"b":3}]}      | [{"op":"replace","path":"/a/1/b","value":3}]
                    {"a":[1]}              | {"a":[1,2,3]}          | [{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/2","value":3}]
                    {"a":[1,2]}            | {"a":[0,1,2]}          | [{"op":"replace","path":"/a","value":[0,1,2]}]
                    {"a":[1,2]}            | {"a":[1]}              | [{"op":"replace","path":"/a","value":[1]}]
                    """)
    void thePatchSaysWhatDiffers(String before, String after, String patch) throws IOException {
        assertThat(ObjectDifference.between(JSON.readTree(before), JSON.readTree(after)))
                .isEqualTo(JSON.readTree(patch));
    }

    @Test
    void thePatchOfAnyTwoObjectsMakesOneOfTheOther() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            ObjectNode before = object(random, 3);
            ObjectNode after =
                    random.nextBoolean() ? object(random, 3) : before.deepCopy().put("a", round);
            JsonNode patched = JsonPatch.apply(ObjectDifference.between(before, after), before.deepCopy());
            assertThat(patched).isEqualTo(after);
        }
    }

    private static ObjectNode object(Random random, int depth) {
        ObjectNode made = JSON.createObjectNode();
        for (int field = random.nextInt(4); field > 0; field--) {
            made.set(String.valueOf("ab/~".charAt(random.nextInt(4))), value(random, depth));
        }
        return made;
    }

    private static JsonNode value(Random random, int depth) {
        if (depth == 0 || random.nextInt(3) == 0) {
            return JSON.getNodeFactory().numberNode(random.nextInt(3));
        }
        if (random.nextBoolean()) {
            return object(random, depth - 1);
        }
        ArrayNode made = JSON.createArrayNode();
        for (int element = random.nextInt(4); element > 0; element--) {
            made.add(value(random, depth - 1));
        }
        return made;
    }
}
