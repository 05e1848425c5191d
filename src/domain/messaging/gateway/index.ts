export { gatewayStatus, type GatewayStatus } from "./gateway-status.ts";
export { offeredPlatforms } from "./platforms.ts";
export { resync, retryConnections, syncShards, type ShardDeps } from "./sync-shards.ts";
