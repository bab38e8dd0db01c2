/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

/**
 * Sizes and offsets of the C structs that are written or read here, in bytes on 64-bit Linux. A test compiles a C program
 * with the installed header that prints every one of them.
 *
 * @see "pmix_common.h and pmix_server.h of libpmix 5.0.7; the same in 4.2.2 and 7.0"
 */
final class Layout {
    /**
     * <pre>
     * typedef struct pmix_proc {
     *     pmix_nspace_t nspace;           // char[PMIX_MAX_NSLEN + 1]
     *     pmix_rank_t rank;               // uint32_t
     * } pmix_proc_t;
     * </pre>
     */
    static final int PROC_SIZE = 260;

    static final int PROC_RANK = 256;
    static final int MAX_NSLEN = 255;

    /**
     * <pre>
     * typedef struct pmix_value {
     *     pmix_data_type_t type;          // uint16_t
     *     union { ... } data;
     * } pmix_value_t;
     *
     * typedef struct pmix_info {
     *     pmix_key_t key;                 // char[PMIX_MAX_KEYLEN + 1]
     *     pmix_info_directives_t flags;   // uint32_t
     *     pmix_value_t value;
     * } pmix_info_t;
     * </pre>
     */
    static final int INFO_SIZE = 552;

    static final int INFO_FLAGS = 512;
    static final int INFO_TYPE = 520;
    static final int INFO_DATA = 528;
    static final int MAX_KEYLEN = 511;

    /**
     * <pre>
     * typedef struct pmix_data_array {
     *     pmix_data_type_t type;
     *     size_t size;
     *     void *array;
     * } pmix_data_array_t;
     * </pre>
     */
    static final int DATA_ARRAY_SIZE = 24;

    static final int DATA_ARRAY_COUNT = 8;
    static final int DATA_ARRAY_ARRAY = 16;

    /**
     * <pre>
     * typedef struct pmix_endpoint {
     *     char *uuid;
     *     char *osname;
     *     pmix_byte_object_t endpt;       // char *bytes; size_t size;
     * } pmix_endpoint_t;
     * </pre>
     */
    static final int ENDPOINT_SIZE = 32;

    static final int ENDPOINT_OSNAME = 8;
    static final int ENDPOINT_BYTES = 16;
    static final int ENDPOINT_LENGTH = 24;

    /**
     * <pre>
     * typedef struct pmix_coord {
     *     pmix_coord_view_t view;         // uint8_t
     *     uint32_t *coord;
     *     size_t dims;
     * } pmix_coord_t;
     * </pre>
     */
    static final int COORD_SIZE = 24;

    static final int COORD_COORD = 8;
    static final int COORD_DIMS = 16;

    /**
     * <pre>
     * typedef struct pmix_geometry {
     *     size_t fabric;
     *     char *uuid;
     *     char *osname;
     *     pmix_coord_t *coordinates;
     *     size_t ncoords;
     * } pmix_geometry_t;
     * </pre>
     */
    static final int GEOMETRY_SIZE = 40;

    static final int GEOMETRY_UUID = 8;
    static final int GEOMETRY_OSNAME = 16;
    static final int GEOMETRY_COORDINATES = 24;
    static final int GEOMETRY_NCOORDS = 32;

    /**
     * <pre>
     * typedef struct pmix_device_distance {
     *     char *uuid;
     *     char *osname;
     *     pmix_device_type_t type;        // uint64_t
     *     uint16_t mindist;
     *     uint16_t maxdist;
     * } pmix_device_distance_t;
     * </pre>
     */
    static final int DEVICE_DISTANCE_SIZE = 32;

    static final int DEVICE_DISTANCE_OSNAME = 8;
    static final int DEVICE_DISTANCE_TYPE = 16;
    static final int DEVICE_DISTANCE_MINDIST = 24;
    static final int DEVICE_DISTANCE_MAXDIST = 26;

    /**
     * <pre>
     * typedef struct pmix_query {
     *     char **keys;
     *     pmix_info_t *qualifiers;
     *     size_t nqual;
     * } pmix_query_t;
     * </pre>
     */
    static final int QUERY_SIZE = 24;

    static final int QUERY_QUALIFIERS = 8;
    static final int QUERY_NQUAL = 16;

    /**
     * <pre>
     * typedef struct pmix_proc_info {
     *     pmix_proc_t proc;
     *     char *hostname;
     *     char *executable_name;
     *     pid_t pid;                      // int
     *     int exit_code;
     *     pmix_proc_state_t state;        // uint8_t
     * } pmix_proc_info_t;
     * </pre>
     */
    static final int PROC_INFO_SIZE = 296;

    static final int PROC_INFO_HOSTNAME = 264;
    static final int PROC_INFO_PID = 280;
    static final int PROC_INFO_STATE = 288;

    /**
     * <pre>
     * typedef struct pmix_pdata {
     *     pmix_proc_t proc;
     *     pmix_key_t key;
     *     pmix_value_t value;
     * } pmix_pdata_t;
     * </pre>
     */
    static final int PDATA_SIZE = 808;

    static final int PDATA_KEY = 260;
    static final int PDATA_VALUE = 776;

    /**
     * <pre>
     * typedef struct pmix_data_buffer {
     *     char *base_ptr;
     *     char *pack_ptr;
     *     char *unpack_ptr;
     *     size_t bytes_allocated;
     *     size_t bytes_used;
     * } pmix_data_buffer_t;
     * </pre>
     */
    static final int DATA_BUFFER_SIZE = 40;

    static final int DATA_BUFFER_PACK = 8;
    static final int DATA_BUFFER_UNPACK = 16;
    static final int DATA_BUFFER_ALLOCATED = 24;
    static final int DATA_BUFFER_USED = 32;

    /**
     * {@code pmix_server_module_t}: pointers to functions, to which later versions append. Ours is longer than any version's
     * and its rest is NULL, "not supported".
     */
    static final int MODULE_ROOM = 512;

    static final int MODULE_CLIENT_FINALIZED = 8;
    static final int MODULE_ABORT = 16;
    static final int MODULE_FENCE_NB = 24;
    static final int MODULE_DIRECT_MODEX = 32;
    static final int MODULE_PUBLISH = 40;
    static final int MODULE_LOOKUP = 48;
    static final int MODULE_UNPUBLISH = 56;
    static final int MODULE_SPAWN = 64;
    static final int MODULE_CONNECT = 72;
    static final int MODULE_DISCONNECT = 80;
    static final int MODULE_REGISTER_EVENTS = 88;
    static final int MODULE_DEREGISTER_EVENTS = 96;
    static final int MODULE_NOTIFY_EVENT = 112;
    static final int MODULE_QUERY = 120;
    static final int MODULE_TOOL_CONNECTED = 128;
    static final int MODULE_LOG = 136;
    static final int MODULE_MONITOR = 160;
    static final int MODULE_GET_CREDENTIAL = 168;
    static final int MODULE_VALIDATE_CREDENTIAL = 176;
    static final int MODULE_GROUP = 200;
    static final int MODULE_FABRIC = 208;
    static final int MODULE_CLIENT_CONNECTED2 = 216;

    private Layout() {}
}
