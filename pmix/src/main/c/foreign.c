/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * The native half of dev.fabricoperator.pmix.foreign.Native: opens libraries, calls their functions in one shape, and lends C
 * pointers to functions that end in Java. Why not Java's own foreign function interface: docs/adr/0008.
 */

#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define METHOD(name) Java_dev_fabricoperator_pmix_foreign_Native_##name

typedef jlong called(jlong, jlong, jlong, jlong, jlong, jlong, jlong);
typedef jlong calling(jlong, jlong, jlong, jlong, jlong, jlong, jlong, jlong);

static JavaVM *vm;
static jclass native;
static jmethodID called_from_c;
/* Set for threads of C's that have come into Java: one that ends must tell the virtual machine. */
static pthread_key_t attached;
/* errno as the last call from this thread left it; Java's own work between two calls may change errno itself. */
static _Thread_local int error;

static void detach(void *unused) {
    (void)unused;
    (*vm)->DetachCurrentThread(vm);
}

/* Throws in Java where the class is not the one that this library was built for. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *reserved) {
    (void)reserved;
    JNIEnv *env;
    vm = machine;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK || pthread_key_create(&attached, detach) != 0) return JNI_ERR;
    jclass found = (*env)->FindClass(env, "dev/fabricoperator/pmix/foreign/Native");
    if (found == NULL) return JNI_ERR;
    native = (*env)->NewGlobalRef(env, found);
    called_from_c = (*env)->GetStaticMethodID(env, found, "calledFromC", "(IJJJJJJJJ)J");
    return native == NULL || called_from_c == NULL ? JNI_ERR : JNI_VERSION_10;
}

/* 0 where the dynamic loader does not find it. */
JNIEXPORT jlong JNICALL METHOD(open)(JNIEnv *env, jclass type, jstring name) {
    (void)type;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    if (text == NULL) return 0;
    void *library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
    (*env)->ReleaseStringUTFChars(env, name, text);
    return (jlong)(intptr_t)library;
}

/* 0 where neither the library nor one that it needs has it. */
JNIEXPORT jlong JNICALL METHOD(symbol)(JNIEnv *env, jclass type, jlong library, jstring name) {
    (void)type;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    if (text == NULL) return 0;
    void *address = dlsym((void *)(intptr_t)library, text);
    (*env)->ReleaseStringUTFChars(env, name, text);
    return (jlong)(intptr_t)address;
}

JNIEXPORT jlong JNICALL METHOD(invoke)(JNIEnv *env, jclass type, jlong function, jlong a, jlong b, jlong c, jlong d, jlong e, jlong f, jlong g) {
    (void)env, (void)type;
    jlong result = ((called *)(intptr_t)function)(a, b, c, d, e, f, g);
    error = errno;
    return result;
}

JNIEXPORT jstring JNICALL METHOD(error)(JNIEnv *env, jclass type) {
    (void)type;
    return (*env)->NewStringUTF(env, strerrordesc_np(error));
}

/*
 * Calls of a library to a function of another one go to address instead; how many places of its global offset table that has changed. All its symbols
 * are bound by then. A table that the loader has made read-only stays writable.
 */
JNIEXPORT jint JNICALL METHOD(redirect0)(JNIEnv *env, jclass type, jlong library, jstring name, jlong address) {
    (void)type;
    struct link_map *map;
    const ElfW(Rela) *tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    if (dlinfo((void *)(intptr_t)library, RTLD_DI_LINKMAP, &map) != 0) return 0;
    for (const ElfW(Dyn) *each = map->l_ld; each->d_tag != DT_NULL; each++) {
        if (each->d_tag == DT_JMPREL) tables[0] = (const ElfW(Rela) *)each->d_un.d_ptr;
        if (each->d_tag == DT_PLTRELSZ) bytes[0] = each->d_un.d_val;
        if (each->d_tag == DT_RELA) tables[1] = (const ElfW(Rela) *)each->d_un.d_ptr;
        if (each->d_tag == DT_RELASZ) bytes[1] = each->d_un.d_val;
        if (each->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)each->d_un.d_ptr;
        if (each->d_tag == DT_STRTAB) strings = (const char *)each->d_un.d_ptr;
    }
    const char *wanted = (*env)->GetStringUTFChars(env, name, NULL);
    if (wanted == NULL) return 0;
    jint changed = 0;
    long page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 2; i++) {
        for (size_t n = 0; n < bytes[i] / sizeof(ElfW(Rela)); n++) {
            const ElfW(Rela) *entry = &tables[i][n];
            uint32_t kind = ELF64_R_TYPE(entry->r_info);
            if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
            if (strcmp(strings + symbols[ELF64_R_SYM(entry->r_info)].st_name, wanted) != 0) continue;
            uintptr_t place = map->l_addr + entry->r_offset;
            if (mprotect((void *)(place & -(uintptr_t)page), (size_t)page, PROT_READ | PROT_WRITE) != 0) continue;
            *(volatile uintptr_t *)place = (uintptr_t)address;
            changed++;
        }
    }
    (*env)->ReleaseStringUTFChars(env, name, wanted);
    return changed;
}

JNIEXPORT jobject JNICALL METHOD(buffer)(JNIEnv *env, jclass type, jlong address, jlong size) {
    (void)type;
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, size);
}

JNIEXPORT jbyteArray JNICALL METHOD(textBytes)(JNIEnv *env, jclass type, jlong address, jint limit) {
    (void)type;
    const char *from = (const char *)(intptr_t)address;
    jsize length = (jsize)strnlen(from, (size_t)limit);
    jbyteArray copy = (*env)->NewByteArray(env, length);
    if (copy != NULL) (*env)->SetByteArrayRegion(env, copy, 0, length, (const jbyte *)from);
    return copy;
}

/* Without the virtual machine's farewell, which waits for threads that are in C. */
JNIEXPORT void JNICALL METHOD(exit)(JNIEnv *env, jclass type, jint code) {
    (void)env, (void)type;
    _exit(code);
}

/*
 * PMIX_ERROR, of which every function that C is lent would be a fair result, where Java cannot be entered or has thrown; and to those that stand for
 * a function of the C library, which say why by errno, EAGAIN.
 */
static jlong into_java(jint slot, jlong a, jlong b, jlong c, jlong d, jlong e, jlong f, jlong g, jlong h) {
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) {
        if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL) != JNI_OK) return -1;
        pthread_setspecific(attached, vm);
    }
    jlong result = (*env)->CallStaticLongMethod(env, native, called_from_c, slot, a, b, c, d, e, f, g, h);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
        result = -1;
    }
    errno = EAGAIN;
    return result;
}

/* A pointer has no room for what it belongs to, so that each is a function of its own, made here. */
#define SLOT(n) \
    static jlong slot_##n(jlong a, jlong b, jlong c, jlong d, jlong e, jlong f, jlong g, jlong h) { return into_java(0##n, a, b, c, d, e, f, g, h); }
#define EIGHT(n) SLOT(n##0) SLOT(n##1) SLOT(n##2) SLOT(n##3) SLOT(n##4) SLOT(n##5) SLOT(n##6) SLOT(n##7)
#define NAMES(n) slot_##n##0, slot_##n##1, slot_##n##2, slot_##n##3, slot_##n##4, slot_##n##5, slot_##n##6, slot_##n##7

EIGHT(0) EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7)

static calling *const slots[] = {NAMES(0), NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5), NAMES(6), NAMES(7)};

/* 0 where there are no more. */
JNIEXPORT jlong JNICALL METHOD(slot)(JNIEnv *env, jclass type, jint slot) {
    (void)env, (void)type;
    return slot < 0 || slot >= (jint)(sizeof slots / sizeof slots[0]) ? 0 : (jlong)(intptr_t)slots[slot];
}
