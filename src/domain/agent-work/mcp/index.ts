export { beginAuthorization, type BegunAuthorization } from "./begin-authorization.ts";
export { disconnectServer } from "./disconnect-server.ts";
export { failureOf, neededScopeOf, type ServerFailure } from "./failure.ts";
export { finishAuthorization } from "./finish-authorization.ts";
export { compareTools } from "./listed-tools.ts";
export {
  createServer,
  deleteServer,
  listServers,
  SERVER_NAME,
  updateServer,
  type McpServerInput,
  type McpServerPatch,
} from "./manage-servers.ts";
export { serversOfTask, storeOutcome, type McpServer, type ServerOfTask } from "./queries.ts";
export { requireServer } from "./require-server.ts";
export { leaveOf, type ToolLeave } from "./rules.ts";
export { MASK, secretValues } from "./sealed-headers.ts";
export { showServer, showServers, type ShownServer } from "./show-servers.ts";
export { openHeaders, testServer, type Tested } from "./test-server.ts";
export { MCP_PREFIX, namesFor } from "./tool-names.ts";
export { tokensOf, type TokenDeps } from "./usable-token.ts";
