export { failureOf, type ServerFailure } from "./failure.ts";
export { compareTools } from "./listed-tools.ts";
export {
  createServer,
  deleteServer,
  listServers,
  SERVER_NAME,
  showServer,
  updateServer,
  type McpServerInput,
  type McpServerPatch,
  type ShownServer,
} from "./manage-servers.ts";
export { serversOfTask, storeOutcome, type McpServer, type ServerOfTask } from "./queries.ts";
export { requireServer } from "./require-server.ts";
export { leaveOf, type ToolLeave } from "./rules.ts";
export { MASK, secretValues } from "./sealed-headers.ts";
export { openHeaders, testServer, type Tested } from "./test-server.ts";
export { MCP_PREFIX, namesFor } from "./tool-names.ts";
