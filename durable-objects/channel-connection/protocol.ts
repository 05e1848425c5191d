/** How a connection is doing; null before the first attempt, and for a channel without one. */
export type ConnectionState = "connecting" | "connected" | "retrying" | "stopped" | null;

export interface ConnectionStatus {
  state: ConnectionState;
  /** The last failure as a sentence for the owner; null while the connection is well. */
  lastError: string | null;
  /** 0 for a channel that was never connected. */
  generation: number;
}

/**
 * The contract of the `ChannelConnection` object, one per channel. A generation is larger than every earlier one of the
 * channel, whichever shard gave it; calls of an earlier generation change nothing.
 */
export interface ChannelConnectionObject extends Rpc.DurableObjectBranded {
  /**
   * Keeps the channel connected from now on, and returns before it is. A new generation reads the channel again: the
   * connection is made anew when the credentials are others, or when it is not up. The same generation again only makes
   * sure that the object is at work.
   */
  keepConnected(channelId: string, generation: number): Promise<void>;
  /** Ends the connection. */
  endConnection(generation: number): Promise<void>;
  state(): Promise<ConnectionStatus>;
}
