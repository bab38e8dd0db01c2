/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* The native half of dev.fabricoperator.pmix.foreign.UnixSocket. Results are descriptors or counts, or errno with a minus. */

#include <errno.h>
#include <jni.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define METHOD(name) Java_dev_fabricoperator_pmix_foreign_UnixSocket_##name
#define CHUNK 8192

static jint smaller(jint a, jint b) {
    return a < b ? a : b;
}

JNIEXPORT jint JNICALL METHOD(listen0)(JNIEnv *env, jclass type, jbyteArray path) {
    (void)type;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    jsize length = (*env)->GetArrayLength(env, path);
    if (length >= (jsize)sizeof address.sun_path) return -ENAMETOOLONG;
    (*env)->GetByteArrayRegion(env, path, 0, length, (jbyte *)address.sun_path);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -errno;
    if (bind(made, (struct sockaddr *)&address, sizeof address) == 0 && listen(made, SOMAXCONN) == 0) return made;
    int error = errno;
    close(made);
    return -error;
}

JNIEXPORT jint JNICALL METHOD(accept0)(JNIEnv *env, jclass type, jint descriptor) {
    (void)env, (void)type;
    int made;
    do made = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
    while (made < 0 && (errno == EINTR || errno == ECONNABORTED));
    return made < 0 ? -errno : made;
}

/* Waits for the first byte; 0 at the end. */
JNIEXPORT jint JNICALL METHOD(read0)(JNIEnv *env, jclass type, jint descriptor, jbyteArray into) {
    (void)type;
    jbyte chunk[CHUNK];
    ssize_t count;
    do count = recv(descriptor, chunk, (size_t)smaller(CHUNK, (*env)->GetArrayLength(env, into)), 0);
    while (count < 0 && errno == EINTR);
    if (count > 0) (*env)->SetByteArrayRegion(env, into, 0, (jsize)count, chunk);
    return count < 0 ? -errno : (jint)count;
}

/* Does not wait; 0 where nothing can be taken now. */
JNIEXPORT jint JNICALL METHOD(write0)(JNIEnv *env, jclass type, jint descriptor, jbyteArray from, jint offset, jint count) {
    (void)type;
    jbyte chunk[CHUNK];
    jint length = smaller(CHUNK, count);
    (*env)->GetByteArrayRegion(env, from, offset, length, chunk);
    if ((*env)->ExceptionCheck(env)) return 0;
    ssize_t sent;
    do sent = send(descriptor, chunk, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return errno == EAGAIN ? 0 : -errno;
    return (jint)sent;
}

JNIEXPORT void JNICALL METHOD(shutdown0)(JNIEnv *env, jclass type, jint descriptor) {
    (void)env, (void)type;
    shutdown(descriptor, SHUT_RDWR);
}

JNIEXPORT void JNICALL METHOD(close0)(JNIEnv *env, jclass type, jint descriptor) {
    (void)env, (void)type;
    close(descriptor);
}

JNIEXPORT jstring JNICALL METHOD(text)(JNIEnv *env, jclass type, jint error) {
    (void)type;
    char text[256];
    return (*env)->NewStringUTF(env, strerror_r(error, text, sizeof text));
}
