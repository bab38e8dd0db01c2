/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints the sizes and offsets that dev.fabricoperator.pmix.libpmix.Layout states.
 */
#include <pmix_server.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(name, type) printf(name "_SIZE %zu\n", sizeof(type))
#define AT(name, type, member) printf(name " %zu\n", offsetof(type, member))

int main(void)
{
    SIZE("PROC", pmix_proc_t);
    AT("PROC_RANK", pmix_proc_t, rank);
    printf("MAX_NSLEN %d\nMAX_KEYLEN %d\n", PMIX_MAX_NSLEN, PMIX_MAX_KEYLEN);
    SIZE("INFO", pmix_info_t);
    AT("INFO_FLAGS", pmix_info_t, flags);
    AT("INFO_TYPE", pmix_info_t, value.type);
    AT("INFO_DATA", pmix_info_t, value.data);
    SIZE("DATA_ARRAY", pmix_data_array_t);
    AT("DATA_ARRAY_COUNT", pmix_data_array_t, size);
    AT("DATA_ARRAY_ARRAY", pmix_data_array_t, array);
    SIZE("ENDPOINT", pmix_endpoint_t);
    AT("ENDPOINT_OSNAME", pmix_endpoint_t, osname);
    AT("ENDPOINT_BYTES", pmix_endpoint_t, endpt.bytes);
    AT("ENDPOINT_LENGTH", pmix_endpoint_t, endpt.size);
    SIZE("COORD", pmix_coord_t);
    AT("COORD_COORD", pmix_coord_t, coord);
    AT("COORD_DIMS", pmix_coord_t, dims);
    SIZE("GEOMETRY", pmix_geometry_t);
    AT("GEOMETRY_UUID", pmix_geometry_t, uuid);
    AT("GEOMETRY_OSNAME", pmix_geometry_t, osname);
    AT("GEOMETRY_COORDINATES", pmix_geometry_t, coordinates);
    AT("GEOMETRY_NCOORDS", pmix_geometry_t, ncoords);
    SIZE("DEVICE_DISTANCE", pmix_device_distance_t);
    AT("DEVICE_DISTANCE_OSNAME", pmix_device_distance_t, osname);
    AT("DEVICE_DISTANCE_TYPE", pmix_device_distance_t, type);
    AT("DEVICE_DISTANCE_MINDIST", pmix_device_distance_t, mindist);
    AT("DEVICE_DISTANCE_MAXDIST", pmix_device_distance_t, maxdist);
    SIZE("QUERY", pmix_query_t);
    AT("QUERY_QUALIFIERS", pmix_query_t, qualifiers);
    AT("QUERY_NQUAL", pmix_query_t, nqual);
    SIZE("PROC_INFO", pmix_proc_info_t);
    AT("PROC_INFO_HOSTNAME", pmix_proc_info_t, hostname);
    AT("PROC_INFO_PID", pmix_proc_info_t, pid);
    AT("PROC_INFO_STATE", pmix_proc_info_t, state);
    SIZE("PDATA", pmix_pdata_t);
    AT("PDATA_KEY", pmix_pdata_t, key);
    AT("PDATA_VALUE", pmix_pdata_t, value);
    SIZE("DATA_BUFFER", pmix_data_buffer_t);
    AT("DATA_BUFFER_PACK", pmix_data_buffer_t, pack_ptr);
    AT("DATA_BUFFER_UNPACK", pmix_data_buffer_t, unpack_ptr);
    AT("DATA_BUFFER_ALLOCATED", pmix_data_buffer_t, bytes_allocated);
    AT("DATA_BUFFER_USED", pmix_data_buffer_t, bytes_used);
    SIZE("MODULE", pmix_server_module_t);
    AT("MODULE_CLIENT_FINALIZED", pmix_server_module_t, client_finalized);
    AT("MODULE_ABORT", pmix_server_module_t, abort);
    AT("MODULE_FENCE_NB", pmix_server_module_t, fence_nb);
    AT("MODULE_DIRECT_MODEX", pmix_server_module_t, direct_modex);
    AT("MODULE_PUBLISH", pmix_server_module_t, publish);
    AT("MODULE_LOOKUP", pmix_server_module_t, lookup);
    AT("MODULE_UNPUBLISH", pmix_server_module_t, unpublish);
    AT("MODULE_SPAWN", pmix_server_module_t, spawn);
    AT("MODULE_CONNECT", pmix_server_module_t, connect);
    AT("MODULE_DISCONNECT", pmix_server_module_t, disconnect);
    AT("MODULE_REGISTER_EVENTS", pmix_server_module_t, register_events);
    AT("MODULE_DEREGISTER_EVENTS", pmix_server_module_t, deregister_events);
    AT("MODULE_NOTIFY_EVENT", pmix_server_module_t, notify_event);
    AT("MODULE_QUERY", pmix_server_module_t, query);
    AT("MODULE_TOOL_CONNECTED", pmix_server_module_t, tool_connected);
    AT("MODULE_LOG", pmix_server_module_t, log);
    AT("MODULE_MONITOR", pmix_server_module_t, monitor);
    AT("MODULE_GET_CREDENTIAL", pmix_server_module_t, get_credential);
    AT("MODULE_VALIDATE_CREDENTIAL", pmix_server_module_t, validate_credential);
    AT("MODULE_GROUP", pmix_server_module_t, group);
    AT("MODULE_FABRIC", pmix_server_module_t, fabric);
    AT("MODULE_CLIENT_CONNECTED2", pmix_server_module_t, client_connected2);
    return 0;
}
