import { eq } from "drizzle-orm";
import { vi } from "vitest";
import type { ChannelConfig } from "#sdk/generated/types.gen.ts";
import type { Platform } from "#src/channels/channel.ts";
import { channelEvents } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ApiClient } from "./api-client.ts";

/** Ends a wait that hangs, and nothing else. */
export const PATIENCE = { timeout: 200_000, interval: 50 };

export type ConnectedChannels = ReturnType<typeof connectedChannels>;

/** Channels of one person that are connected to their platforms. */
export function connectedChannels(service: ApiClient, token: string) {
  const call = async (method: string, path: string, json?: object) => {
    const { status, body, text } = await service.call<ChannelConfig>(method, `/api/channels${path}`, {
      token,
      ...(json && { json }),
    });
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return body;
  };
  const get = (id: string) => call("GET", `/${id}`);
  return {
    async add(channelType: Platform, credentials: object): Promise<string> {
      const { id } = await call("POST", "", { channel_type: channelType, credentials });
      return id;
    },
    async change(id: string, change: object): Promise<void> {
      await call("PATCH", `/${id}`, change);
    },
    async remove(id: string): Promise<void> {
      await call("DELETE", `/${id}`);
    },
    get,
    /** Waits until the connection is in a state, and returns the channel. */
    waitFor: (id: string, state: ChannelConfig["connection_state"]) =>
      vi.waitFor(async () => {
        const found = await get(id);
        if (found.connection_state === state) return found;
        throw new Error(`The channel is ${found.connection_state}, not ${state}: ${found.last_error}`);
      }, PATIENCE),
  };
}

/** Waits until so many events of a channel are stored, and returns their ids in alphabetical order, as the parsers name them. */
export function storedEvents(
  db: Db,
  channelId: string,
  count: number,
  patience: { timeout: number } = PATIENCE,
): Promise<string[]> {
  return vi.waitFor(async () => {
    const rows = await db
      .select({ id: channelEvents.eventId })
      .from(channelEvents)
      .where(eq(channelEvents.channelConfigId, channelId));
    if (rows.length < count) throw new Error(`${rows.length} of ${count} events arrived`);
    return rows.map(({ id }) => id).toSorted();
  }, patience);
}
