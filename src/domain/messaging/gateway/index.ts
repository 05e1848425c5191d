export { gatewayStatus, type GatewayStatus } from "./gateway-status.ts";
export { offeredPlatforms } from "./platforms.ts";
export { resync, retryConnections, syncShards } from "./sync-shards.ts";
