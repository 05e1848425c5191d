import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { CopiedText } from "../../parts/copied-text.tsx";
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
        <Link href="/channels">All channels</Link>
      </p>
      <Loaded of={useChannel(channel)}>
        {(found) => (
          <>
            <h1>{found.name}</h1>
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
        <dd>{channel.channel_type}</dd>
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
            ? "none: it works for you alone, in your own workspace"
            : (project?.name ?? "not yours to see")}
        </dd>
        <dt>Entered</dt>
        <dd>{Object.keys(channel.credentials).join(", ") || "nothing"} (not shown)</dd>
      </dl>
      {channel.last_error !== null && <p class="notice bad">{channel.last_error}</p>}
      {channel.is_active && channel.channel_type !== "cli" && (
        <p class="muted">
          As its owner you read what linked people write here, and your word is all that says who wrote it. So
          a message does what its person and you may both do in the project, and a link counts in this channel
          {channel.shares_links && " and in your other channels of this platform that share links"}.
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
        <section class="notice" aria-label="What is left to do at the platform">
          <ol>
            {setup.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {!isLinked && platform !== "cli" && (
            <p>
              Then write to the bot in private and enter its code under{" "}
              <Link href="/channels">Linked accounts</Link>.
            </p>
          )}
        </section>
      )}
      {address !== null && (
        <>
          <h2>Address for the platform</h2>
          <p class="muted">
            {platform === "telegram"
              ? "The service enters it at Telegram by itself."
              : "It holds a secret: enter it at the platform, and nowhere else."}
          </p>
          <CopiedText text={address} name="the address" />
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
        Send me a test message
      </button>
      <span role="status">{isSent && "The platform has taken it: look at your chat with the bot."}</span>
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
        <p>This channel is deleted: it takes and sends nothing.</p>
        <button type="button" disabled={again.isBusy} onClick={() => again.run()}>
          Connect it again
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
            label="Change the address …"
            confirm="Change the address"
            title="Change the secret of the address?"
            work={async () => {
              await workspace.request("POST", "/api/channels/{channel}/rotate-secret", {
                path: { channel: id },
              });
              stale(names.channels);
            }}
          >
            <p>
              The present address is refused at once. Enter the new one at the platform; Telegram gets it by
              itself.
            </p>
          </AskFirst>
        )}
        <AskFirst
          label="Delete the channel …"
          confirm="Delete the channel"
          title={`Delete ${name}?`}
          work={async () => {
            await workspace.channels.delete(id);
            stale(names.channels);
          }}
        >
          <p>It takes and sends nothing any more. Its messages stay, and it can be connected again.</p>
        </AskFirst>
      </div>
    </>
  );
}
