import type { api } from "@agent-workspace/client";
import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { paced } from "../../service/pace.ts";
import { useListed, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what is read for channels. */
export const names = {
  channels: ["channels"],
  channel: (channel: string) => ["channels", channel],
  messages: (channel: string) => ["channels", channel, "messages"],
  identities: ["identities"],
  platforms: ["platforms"],
} as const;

export type Platform = api.ChannelConfig["channel_type"];

/** Entries of one page of a channel's messages. */
export const MESSAGES = 50;

export const useChannels = () => useListed(names.channels, (signal) => workspace.channels.list({ signal }));

/** A channel that is not connected yet is asked for again, as no connection tells of it. */
export const useChannel = (channel: string): UseQueryResult<api.ChannelConfig> =>
  useQuery({
    queryKey: names.channel(channel),
    queryFn: ({ signal }) => workspace.channels.get(channel, { signal }),
    refetchInterval: (read) => {
      const state = read.state.data?.connection_state;
      return paced(read, (state === "connecting" || state === "retrying") && 30_000);
    },
  });

export const useMessages = (channel: string, page: number) =>
  useListed([...names.messages(channel), page], (signal) =>
    workspace.request("GET", "/api/channels/{channel}/messages", {
      path: { channel },
      query: { limit: MESSAGES, offset: (page - 1) * MESSAGES },
      signal,
    }),
  );

export const useIdentities = () =>
  useRead(names.identities, (signal) => workspace.channels.identities({ signal }));

export const usePlatforms = () =>
  useRead(names.platforms, (signal) => workspace.request("GET", "/api/gateway/platforms", { signal }));
