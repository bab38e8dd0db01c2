/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.Sha256;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names of objects, made from names of things.
 *
 * <p>A name in DNS form is a DNS-1123 subdomain: lower-case letters, digits, {@code -} and {@code .}, at most 253
 * characters. A name depends on its own thing only, never on what else exists, unless two things of one node want the
 * same: then the later one gets eight hex digits of a SHA-256 over what it is.
 */
public final class ObjectNames {
    private static final int MAXIMUM_LENGTH = 253;
    private static final int MAXIMUM_LABEL_LENGTH = 63;
    private static final int HASH_LENGTH = 8;
    /**
     * A word and numbers behind it, such as {@code eth0}, {@code mlx5_0} and {@code HCA-1}; what the kernel calls Broadcom's devices and bonds of mlx5, for which
     * {@code re0} and {@code bond_0} are none; or a GUID, which stands for a name that a dump does not have.
     */
    private static final Pattern PLAIN_DEVICE = Pattern.compile(
            "(?!(?i:re|bond[_-])[0-9]{1,4}$)[a-zA-Z][a-zA-Z0-9]*([_-][0-9]{1,4})*|(bnxt_re|mlx5_bond_)[0-9]{1,4}|[0-9a-f]{16}");

    private ObjectNames() {}

    /**
     * {@code <nodeName>-<osName>-<port>} in DNS form, where the device is called like {@code eth0}, {@code mlx5_0} or {@code bnxt_re0}: no such name ends in a hyphen
     * and another such name, so that no device of {@code gpu} is called like one of {@code gpu-1}. Any other gets the length of the node's
     * name and a hash behind it, which tells nodes apart, too. The admission policy of the agents checks the same.
     */
    public static String device(String nodeName, String osName, int port) {
        String plain =
                (nodeName + "-" + osName + "-" + port).toLowerCase(Locale.ROOT).replace('_', '-');
        String form = dnsCharacters(plain);
        // What more than case and '_' is lost (the kernel allows ':' and the like) must not make two devices one.
        boolean isPlain =
                PLAIN_DEVICE.matcher(osName).matches() && form.equals(plain) && form.length() <= MAXIMUM_LENGTH;
        return isPlain ? form : withHash(form, nodeName.length() + "-", plain);
    }

    /** As {@link #device}, for the one of two devices whose plain name is taken by a sibling. */
    public static String deviceBesideItsTwin(String nodeName, String osName, int port) {
        String plain = nodeName + "-" + osName + "-" + port;
        return withHash(dnsCharacters(plain), nodeName.length() + "-", nodeName + "/" + osName + "/" + port);
    }

    /** {@code <source>.<id>}, or the id alone for a switch that a person wrote. */
    public static String fabricSwitch(String source, String id) {
        return dns(source.isEmpty() ? id : source + "." + id);
    }

    /** {@code text} in DNS form; with a hash where the form is not the text, so that no two texts share a name. */
    public static String dns(String text) {
        String form = dnsCharacters(text);
        boolean lossless = form.equals(text) && text.length() <= MAXIMUM_LENGTH;
        return lossless ? form : withHash(form, "", text);
    }

    /** An object's name as the value of a label; with a hash where it is too long for one. */
    public static String label(String objectName) {
        return within(objectName, MAXIMUM_LABEL_LENGTH);
    }

    /** An object's name in at most so many characters; with a hash where it has more. */
    static String within(String objectName, int most) {
        return objectName.length() <= most
                ? objectName
                : dnsCharacters(objectName.substring(0, most - HASH_LENGTH - 1)) + "-" + hash(objectName);
    }

    private static String dnsCharacters(String text) {
        StringBuilder form = new StringBuilder(text.length());
        for (char c : text.toLowerCase(Locale.ROOT).toCharArray()) {
            boolean plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-';
            // Labels of a subdomain begin and end with a letter or digit, so a dot needs one before it.
            boolean dot = c == '.' && !form.isEmpty() && Character.isLetterOrDigit(form.charAt(form.length() - 1));
            form.append(plain || dot ? c : '-');
        }
        for (int i = form.length() - 2; i >= 0; i--) {
            if (form.charAt(i) == '.' && form.charAt(i + 1) == '-') {
                form.setCharAt(i, '-');
            }
        }
        int start = 0;
        int end = form.length();
        while (start < end && !Character.isLetterOrDigit(form.charAt(start))) {
            start++;
        }
        while (end > start && !Character.isLetterOrDigit(form.charAt(end - 1))) {
            end--;
        }
        return start == end ? "x" : form.substring(start, end);
    }

    private static String withHash(String form, String between, String original) {
        int most = MAXIMUM_LENGTH - HASH_LENGTH - between.length() - 1;
        String head = form.length() > most ? dnsCharacters(form.substring(0, most)) : form;
        return head + "-" + between + hash(original);
    }

    private static String hash(String text) {
        byte[] digest = Sha256.of(text);
        return HexFormat.of().formatHex(digest).substring(0, HASH_LENGTH);
    }
}
