import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { CopiedText } from "../../parts/copied-text.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale, useProjects } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { stateOf } from "./channel-list.tsx";
import { ChannelSettings } from "./channel-settings.tsx";
import { Deliveries } from "./deliveries.tsx";
import { names, useChannel, useIdentities } from "./reads.ts";

/** One channel: how it stands, what is left to do at its platform, its settings, and what it delivered. */
export function ChannelPage({ channel }: { channel: string }) {
  return (
    <>
      <p class="small">
        <Link href="/channels">Channels</Link>
      </p>
      <Loaded title="Channel" of={useChannel(channel)}>
        {(found) => (
          <>
            <Heading>{found.name}</Heading>
            <ChannelStatus channel={found} />
            {found.is_active && <Next channel={found} />}
            <Changes channel={found} />
            <Deliveries channel={found.id} isActive={found.is_active} />
          </>
        )}
      </Loaded>
    </>
  );
}

function ChannelStatus({ channel }: { channel: api.ChannelConfig }) {
  const { data: projects = [] } = useProjects();
  const project = projects.find(({ id }) => id === channel.project_id);
  return (
    <>
      <dl class="facts">
        <dt>Platform</dt>
        <dd>{stateWord(channel.channel_type)}</dd>
        <dt>State</dt>
        <dd>{stateOf(channel)}</dd>
        {channel.bot_name !== null && (
          <>
            <dt>Bot</dt>
            <dd>{channel.bot_name}</dd>
          </>
        )}
        <dt>Project</dt>
        <dd>
          {channel.project_id === null
            ? "No project: only you can write to it, and it works in a project of your own"
            : (project?.name ?? "A project you cannot see")}
        </dd>
        <dt>Credentials</dt>
        <dd>{Object.keys(channel.credentials).map(stateWord).join(", ") || "None"} (hidden)</dd>
      </dl>
      {channel.last_error !== null && <p class="notice bad">{channel.last_error}</p>}
      {channel.is_active && channel.channel_type !== "cli" && (
        <p class="muted">
          You own this channel, so you can read what people write here. The agent may do only what both you
          and the sender may do in the project. Linked accounts work in this channel
          {channel.shares_links && " and in your other channels on this platform that share links"}.
        </p>
      )}
    </>
  );
}

function Next({
  channel: { id, channel_type: platform, setup, webhook_url: address },
}: {
  channel: api.ChannelConfig;
}) {
  const { data: identities = [] } = useIdentities();
  const isLinked = identities.some(({ channel }) => channel.id === id);
  return (
    <>
      {setup.length > 0 && (
        <section class="notice" aria-label="Next steps on the platform">
          <ol>
            {setup.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {!isLinked && platform !== "cli" && (
            <p>
              Then send the bot a private message and enter the code it replies with under{" "}
              <Link href="/channels">Linked accounts</Link>.
            </p>
          )}
        </section>
      )}
      {address !== null && (
        <>
          <h2>Webhook URL</h2>
          <p class="muted">
            {platform === "telegram"
              ? "Already set at Telegram."
              : "It contains a secret. Enter it on the platform and nowhere else."}
          </p>
          <CopiedText text={address} name="URL" />
        </>
      )}
      {platform !== "cli" && <TestMessage channel={id} isLinked={isLinked} />}
    </>
  );
}

function TestMessage({ channel, isLinked }: { channel: string; isLinked: boolean }) {
  const [isSent, setSent] = useState(false);
  const testing = useAction(async () => {
    setSent(false);
    await workspace.channels.test(channel, { jid: "self" });
    setSent(true);
    stale(names.messages(channel), names.channel(channel));
  });
  if (!isLinked) return null;
  return (
    <div class="row">
      <button type="button" disabled={testing.isBusy} onClick={() => testing.run()}>
        Send test message
      </button>
      <span role="status">{isSent && "Sent. Check your chat with the bot."}</span>
      {testing.error !== undefined && <Refused error={testing.error} />}
    </div>
  );
}

function Changes({ channel }: { channel: api.ChannelConfig }) {
  const { id, name, is_active, webhook_url } = channel;
  const again = useAction(async () => {
    await workspace.channels.update(id, { is_active: true });
    stale(names.channels);
  });
  if (!is_active) {
    return (
      <div class="row">
        <p>This channel is disconnected. It receives and sends nothing.</p>
        <button type="button" disabled={again.isBusy} onClick={() => again.run()}>
          Reconnect
        </button>
        {again.error !== undefined && <Refused error={again.error} />}
      </div>
    );
  }
  return (
    <>
      <ChannelSettings channel={channel} />
      <div class="row">
        {webhook_url !== null && (
          <AskFirst
            label="New webhook URL…"
            confirm="Create new URL"
            title="Create a new webhook URL?"
            work={async () => {
              await workspace.request("POST", "/api/channels/{channel}/rotate-secret", {
                path: { channel: id },
              });
              stale(names.channels);
            }}
          >
            <p>
              The current URL stops working at once. Enter the new one on the platform; Telegram is updated
              automatically.
            </p>
          </AskFirst>
        )}
        <AskFirst
          label="Disconnect channel…"
          confirm="Disconnect"
          title={`Disconnect ${name}?`}
          work={async () => {
            await workspace.channels.delete(id);
            stale(names.channels);
          }}
        >
          <p>The channel stops receiving and sending. Its messages stay, and you can reconnect it later.</p>
        </AskFirst>
      </div>
    </>
  );
}
