/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

/**
 * Strings of the PMIx attributes that are used here, under their C names. Constants, so that nothing is loaded for them.
 *
 * @see "pmix_common.h of libpmix 5.0.7; a test compares them with the header that is installed"
 */
public final class PmixKeys {
    // Server.
    public static final String PMIX_SERVER_NSPACE = "pmix.srv.nspace";
    public static final String PMIX_SERVER_RANK = "pmix.srv.rank";
    public static final String PMIX_SERVER_TMPDIR = "pmix.srvr.tmpdir";
    public static final String PMIX_SYSTEM_TMPDIR = "pmix.sys.tmpdir";
    public static final String PMIX_SERVER_TOOL_SUPPORT = "pmix.srvr.tool";
    public static final String PMIX_SERVER_START_TIME = "pmix.srv.strtime";
    public static final String PMIX_SERVER_HOSTNAME = "pmix.srvr.host";
    public static final String PMIX_RM_NAME = "pmix.rm.name";
    public static final String PMIX_RM_VERSION = "pmix.rm.version";
    public static final String PMIX_CLUSTER_ID = "pmix.clid";
    public static final String PMIX_COLLECT_DATA = "pmix.collect";
    public static final String PMIX_LOCAL_COLLECTIVE_STATUS = "pmix.loc.col.st";

    // Session.
    public static final String PMIX_SESSION_ID = "pmix.session.id";
    public static final String PMIX_TMPDIR = "pmix.tmpdir";
    public static final String PMIX_ALLOCATED_NODELIST = "pmix.alist";
    public static final String PMIX_ALLOC_FABRIC = "pmix.alloc.net";
    public static final String PMIX_ALLOC_FABRIC_ID = "pmix.alloc.netid";
    public static final String PMIX_ALLOC_FABRIC_QOS = "pmix.alloc.netqos";

    // Job.
    public static final String PMIX_NSDIR = "pmix.nsdir";
    public static final String PMIX_JOBID = "pmix.jobid";
    public static final String PMIX_JOB_SIZE = "pmix.job.size";
    public static final String PMIX_JOB_NUM_APPS = "pmix.job.napps";
    public static final String PMIX_UNIV_SIZE = "pmix.univ.size";
    public static final String PMIX_MAX_PROCS = "pmix.max.size";
    public static final String PMIX_NUM_NODES = "pmix.num.nodes";
    public static final String PMIX_NPROC_OFFSET = "pmix.offset";
    public static final String PMIX_NODE_MAP = "pmix.nmap";
    public static final String PMIX_PROC_MAP = "pmix.pmap";
    public static final String PMIX_APP_INFO_ARRAY = "pmix.app.arr";
    public static final String PMIX_NODE_INFO_ARRAY = "pmix.node.arr";
    public static final String PMIX_PROC_DATA = "pmix.pdata";

    // App.
    public static final String PMIX_APPNUM = "pmix.appnum";
    public static final String PMIX_APP_SIZE = "pmix.app.size";
    public static final String PMIX_APPLDR = "pmix.aldr";
    public static final String PMIX_WDIR = "pmix.wdir";
    public static final String PMIX_APP_ARGV = "pmix.app.argv";
    public static final String PMIX_PSET_NAME = "pmix.pset.nm";
    public static final String PMIX_PSET_NAMES = "pmix.pset.nms";

    // Node.
    public static final String PMIX_HOSTNAME = "pmix.hname";
    public static final String PMIX_NODEID = "pmix.nodeid";
    public static final String PMIX_NODE_SIZE = "pmix.node.size";
    public static final String PMIX_CRED_TYPE = "pmix.sec.ctype";
    public static final String PMIX_HWLOC_XML_V2 = "pmix.hwlocxml2";
    public static final String PMIX_HOSTNAME_ALIASES = "pmix.alias";
    public static final String PMIX_LOCAL_CPUSETS = "pmix.lcpus";
    public static final String PMIX_AVAIL_PHYS_MEMORY = "pmix.pmem";
    public static final String PMIX_LOCAL_PROCS = "pmix.lprocs";

    // Process.
    public static final String PMIX_RANK = "pmix.rank";
    public static final String PMIX_REINCARNATION = "pmix.reinc";
    public static final String PMIX_SPAWNED = "pmix.spawned";
    public static final String PMIX_PACKAGE_RANK = "pmix.pkgrank";
    public static final String PMIX_PROCDIR = "pmix.pdir";
    public static final String PMIX_CPUSET = "pmix.cpuset";
    public static final String PMIX_LOCALITY_STRING = "pmix.locstr";
    public static final String PMIX_GLOBAL_RANK = "pmix.grank";
    public static final String PMIX_APP_RANK = "pmix.apprank";
    public static final String PMIX_LOCAL_RANK = "pmix.lrank";
    public static final String PMIX_NODE_RANK = "pmix.nrank";

    // Fabric.
    public static final String PMIX_FABRIC_VENDOR = "pmix.fab.vndr";
    public static final String PMIX_FABRIC_IDENTIFIER = "pmix.fab.id";
    public static final String PMIX_FABRIC_INDEX = "pmix.fab.idx";
    public static final String PMIX_FABRIC_NUM_DEVICES = "pmix.fab.nverts";
    public static final String PMIX_FABRIC_COST_MATRIX = "pmix.fab.cm";
    public static final String PMIX_FABRIC_GROUPS = "pmix.fab.grps";
    public static final String PMIX_FABRIC_DIMS = "pmix.fab.dims";
    public static final String PMIX_FABRIC_PLANE = "pmix.fab.plane";
    public static final String PMIX_FABRIC_SWITCH = "pmix.fab.switch";
    public static final String PMIX_FABRIC_SHAPE = "pmix.fab.shape";
    public static final String PMIX_FABRIC_SHAPE_STRING = "pmix.fab.shapestr";
    public static final String PMIX_FABRIC_COORDINATES = "pmix.fab.coord";
    public static final String PMIX_FABRIC_ENDPT = "pmix.fab.endpt";
    public static final String PMIX_FABRIC_DEVICES = "pmix.fab.devs";
    public static final String PMIX_FABRIC_DEVICE = "pmix.fabdev";
    public static final String PMIX_FABRIC_DEVICE_NAME = "pmix.fabdev.nm";
    public static final String PMIX_FABRIC_DEVICE_VENDOR = "pmix.fabdev.vndr";
    public static final String PMIX_FABRIC_DEVICE_BUS_TYPE = "pmix.fabdev.btyp";
    public static final String PMIX_FABRIC_DEVICE_DRIVER = "pmix.fabdev.driver";
    public static final String PMIX_FABRIC_DEVICE_INDEX = "pmix.fabdev.idx";
    public static final String PMIX_FABRIC_DEVICE_COORDINATES = "pmix.fab.coord";
    public static final String PMIX_SWITCH_PEERS = "pmix.speers";
    public static final String PMIX_DEVICE_ID = "pmix.dev.id";
    public static final String PMIX_DEVICE_TYPE = "pmix.dev.type";
    public static final String PMIX_DEVICE_DISTANCES = "pmix.dev.dist";

    // Queries.
    public static final String PMIX_NSPACE = "pmix.nspace";
    public static final String PMIX_PROCID = "pmix.procid";
    public static final String PMIX_QUERY_SUPPORTED_KEYS = "pmix.qry.keys";
    public static final String PMIX_QUERY_NAMESPACES = "pmix.qry.ns";
    public static final String PMIX_QUERY_NAMESPACE_INFO = "pmix.qry.nsinfo";
    public static final String PMIX_QUERY_JOB_STATUS = "pmix.qry.jst";
    public static final String PMIX_QUERY_PROC_TABLE = "pmix.qry.ptable";
    public static final String PMIX_QUERY_LOCAL_PROC_TABLE = "pmix.qry.lptable";
    public static final String PMIX_QUERY_NUM_PSETS = "pmix.qry.psetnum";
    public static final String PMIX_QUERY_PSET_NAMES = "pmix.qry.psets";
    public static final String PMIX_QUERY_PSET_MEMBERSHIP = "pmix.qry.pmems";
    public static final String PMIX_QUERY_RESOLVE_PEERS = "pmix.qry.peers";
    public static final String PMIX_QUERY_RESOLVE_NODE = "pmix.qry.node";

    // Published data.
    public static final String PMIX_RANGE = "pmix.range";
    public static final String PMIX_PERSISTENCE = "pmix.persist";
    public static final String PMIX_WAIT = "pmix.wait";
    public static final String PMIX_TIMEOUT = "pmix.timeout";
    public static final String PMIX_USERID = "pmix.euid";
    public static final String PMIX_GRPID = "pmix.egid";

    // Groups.
    public static final String PMIX_GROUP_MEMBERSHIP = "pmix.grp.mbrs";
    public static final String PMIX_GROUP_ASSIGN_CONTEXT_ID = "pmix.grp.actxid";
    public static final String PMIX_GROUP_CONTEXT_ID = "pmix.grp.ctxid";
    public static final String PMIX_GROUP_ADD_MEMBERS = "pmix.grp.add";
    public static final String PMIX_GROUP_LOCAL_ONLY = "pmix.grp.lcl";
    public static final String PMIX_GROUP_ENDPT_DATA = "pmix.grp.endpt";

    // Log.
    public static final String PMIX_LOG_STDERR = "pmix.log.stderr";
    public static final String PMIX_LOG_STDOUT = "pmix.log.stdout";
    public static final String PMIX_LOG_SYSLOG = "pmix.log.syslog";
    public static final String PMIX_LOG_LOCAL_SYSLOG = "pmix.log.lsys";
    public static final String PMIX_LOG_GLOBAL_SYSLOG = "pmix.log.gsys";

    // Events.
    public static final String PMIX_EVENT_AFFECTED_PROC = "pmix.evproc";
    public static final String PMIX_EVENT_AFFECTED_PROCS = "pmix.evaffected";
    public static final String PMIX_EVENT_CUSTOM_RANGE = "pmix.evrange";
    public static final String PMIX_EVENT_DO_NOT_CACHE = "pmix.evnocache";
    public static final String PMIX_EVENT_NON_DEFAULT = "pmix.evnondef";
    public static final String PMIX_EVENT_TEXT_MESSAGE = "pmix.evtext";

    // Monitoring.
    public static final String PMIX_MONITOR_ID = "pmix.monitor.id";
    public static final String PMIX_MONITOR_CANCEL = "pmix.monitor.cancel";

    private PmixKeys() {}
}
