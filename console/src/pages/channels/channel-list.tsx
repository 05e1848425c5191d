import type { api } from "@agent-workspace/client";
import { MessagesSquare } from "lucide-preact";
import { Link } from "wouter-preact";
import { stateWord } from "../../parts/badge.tsx";
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
            Talk to the agent from Telegram, Slack, Discord, WhatsApp or Signal. A channel connects a bot to a
            project. <a href="/guide/channels">Read the guide</a>
          </>
        }
        make={{ href: "/channels/new", name: "New channel" }}
        of={useChannels()}
        icon={MessagesSquare}
        none={{ title: "No channels yet", about: "Connect a bot, then message it to talk to the agent." }}
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
        {stateWord(channel_type)}
        {bot_name !== null && ` · ${bot_name}`}
      </span>
      <span class="small">{stateOf(channel)}</span>
      {last_error !== null && <span class="small outcome failed">{last_error}</span>}
    </li>
  );
}

/** How a channel stands, in words. */
export function stateOf({ is_active, connection_state, connected }: api.ChannelConfig): string {
  if (!is_active) return "Disconnected";
  if (connection_state === "retrying") return "Reconnecting";
  return stateWord(connection_state ?? (connected ? "ready" : "not ready"));
}
