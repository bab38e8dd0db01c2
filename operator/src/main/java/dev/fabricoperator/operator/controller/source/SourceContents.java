/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.UploadPart;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the bytes of dumps, and the credentials of appliances, come from. */
@ApplicationScoped
public class SourceContents {
    private final KubernetesClient client;
    private final Path directory;
    /** That a slice was read of last, for the thread that reads them: each key of a ConfigMap may be a text. */
    private @Nullable ConfigMap last;

    public SourceContents(KubernetesClient client, Settings settings) {
        this.client = client;
        this.directory = settings.topologyDirectory();
    }

    /**
     * A dump in a file.
     *
     * @param fingerprint changes with the file: real path, size and time of modification
     */
    record TopologyFile(Path path, String fingerprint) {
        InputStream open() throws IOException {
            return Files.newInputStream(path);
        }
    }

    /** Opens the bytes of one dump. */
    @FunctionalInterface
    interface Opening {
        InputStream open() throws IOException;
    }

    /**
     * The slices of an upload, one after the other.
     *
     * <p>Reading ends in an IOException if one of them is not what it was when the upload was planned, a look at the newer state
     * follows; and in a {@link KubernetesClientException} if the API server could not be asked.
     */
    InputStream ofConfigMaps(String namespace, List<UploadPlan.Slice> slices) {
        return new SlicesInputStream(slices.iterator(), slice -> {
            ConfigMap map = last;
            if (map == null
                    || !slice.configMap().equals(map.getMetadata().getName())
                    || !slice.resourceVersion().equals(map.getMetadata().getResourceVersion())) {
                map = client.configMaps()
                        .inNamespace(namespace)
                        .withName(slice.configMap())
                        .get();
                last = map;
            }
            String value = map == null
                    ? null
                    : slice.binary()
                            ? map.getBinaryData().get(slice.key())
                            : map.getData().get(slice.key());
            if (value == null) {
                throw new IOException("ConfigMap " + slice.configMap() + " has changed while it was read");
            }
            return slice.binary() ? Base64.getDecoder().decode(value) : value.getBytes(StandardCharsets.UTF_8);
        });
    }

    /** The bytes of one slice. */
    private interface SliceReader {
        byte[] read(UploadPlan.Slice slice) throws IOException;
    }

    /** Slices as they are asked for, one in memory at a time: of how many an upload consists says its author. */
    private static final class SlicesInputStream extends InputStream {
        private final Iterator<UploadPlan.Slice> slices;
        private final SliceReader reader;
        private ByteArrayInputStream current = new ByteArrayInputStream(new byte[0]);

        SlicesInputStream(Iterator<UploadPlan.Slice> slices, SliceReader reader) {
            this.slices = slices;
            this.reader = reader;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = current.read(into, offset, length);
            while (count < 0 && slices.hasNext()) {
                current = new ByteArrayInputStream(reader.read(slices.next()));
                count = current.read(into, offset, length);
            }
            return count;
        }
    }

    /** A ConfigMap without the topology label, {@code null} if there is none of that name. */
    @Nullable
    UploadPart part(String namespace, String name) {
        ConfigMap map =
                client.configMaps().inNamespace(namespace).withName(name).get();
        return map == null ? null : UploadPart.of(map);
    }

    /** {@code null} if there is none of that name. */
    @Nullable
    Secret secret(String namespace, String name) {
        return client.secrets().inNamespace(namespace).withName(name).get();
    }

    /** @throws IOException with a message for an administrator, if the URL names no readable file below the directory */
    TopologyFile file(String url) throws IOException {
        try {
            URI uri = new URI(url);
            if (!"file".equals(uri.getScheme()) || uri.getAuthority() != null || uri.getPath() == null) {
                throw new IOException("only file:///... is known");
            }
            Path path = Path.of(uri.getPath()).normalize();
            if (!path.startsWith(directory.normalize())) {
                throw new IOException("the file must be below " + directory);
            }
            // A mounted volume links to its present revision; where the links lead must be below the directory too.
            Path real = path.toRealPath();
            if (!real.startsWith(directory.toRealPath())) {
                throw new IOException("the file must be below " + directory + ", and so must what it links to");
            }
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new IOException("this is no regular file");
            }
            return new TopologyFile(real, real + " " + attributes.size() + " " + attributes.lastModifiedTime());
        } catch (NoSuchFileException e) {
            throw new IOException("there is no such file", e);
        } catch (URISyntaxException | InvalidPathException e) {
            throw new IOException("this is no URL: " + e.getMessage(), e);
        }
    }
}
