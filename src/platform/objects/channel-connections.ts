import type {
  ChannelConnectionObject,
  ConnectionStatus,
} from "#durable-objects/channel-connection/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

/** Access to the connections of channels. */
export interface ChannelConnections {
  /** Keeps a channel connected from now on. Idempotent; an earlier generation than the last changes nothing. */
  connect(channelId: string, generation: number): Promise<void>;
  disconnect(channelId: string, generation: number): Promise<void>;
  state(channelId: string): Promise<ConnectionStatus>;
}

export function channelConnections(
  namespace: DurableObjectNamespace<ChannelConnectionObject>,
  trips: Trips,
): ChannelConnections {
  const connection = (channelId: string) => {
    trips.objects += 1;
    return namespace.getByName(channelId);
  };
  return {
    connect: (channelId, generation) => connection(channelId).keepConnected(channelId, generation),
    disconnect: (channelId, generation) => connection(channelId).endConnection(generation),
    state: (channelId) => connection(channelId).state(),
  };
}
