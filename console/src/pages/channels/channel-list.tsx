import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Collection } from "../../parts/collection.tsx";
import { Identities } from "./identities.tsx";
import { useChannels } from "./reads.ts";

/** All channels of the person, and the accounts that are linked. */
export function ChannelList() {
  return (
    <>
      <Collection
        title="Channels"
        about={
          <>
            A channel connects a bot of a messaging platform with a project. See{" "}
            <a href="/guide/channels">channels</a> in the guide.
          </>
        }
        make={{ href: "/channels/new", name: "New channel" }}
        of={useChannels()}
        none="No channel yet: make the first one, then write to its bot."
      >
        {(channel) => <ChannelLine key={channel.id} channel={channel} />}
      </Collection>
      <Identities />
    </>
  );
}

function ChannelLine({ channel }: { channel: api.ChannelConfig }) {
  const { id, name, channel_type, bot_name, last_error } = channel;
  return (
    <li>
      <Link href={`/channels/${id}`}>{name}</Link>
      <span class="muted small">
        {channel_type}
        {bot_name !== null && ` · ${bot_name}`}
      </span>
      <span class="small">{stateOf(channel)}</span>
      {last_error !== null && <span class="small outcome failed">{last_error}</span>}
    </li>
  );
}

/** How a channel stands, in words. */
export function stateOf({ is_active, connection_state, connected }: api.ChannelConfig): string {
  if (!is_active) return "deleted";
  if (connection_state === "retrying") return "not connected, tries again";
  return connection_state ?? (connected ? "ready" : "not ready");
}
