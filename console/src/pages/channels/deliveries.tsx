import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { MESSAGES, names, useMessages } from "./reads.ts";

const STATES = { pending: "Sending", delivered: "Delivered", failed: "Failed" } as const;

/** What went through a channel in both directions, with why a message failed. */
export function Deliveries({ channel, isActive }: { channel: string; isActive: boolean }) {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Messages">
      <h2>Messages</h2>
      <button type="button" onClick={() => stale(names.messages(channel), names.channel(channel))}>
        Refresh
      </button>
      <Loaded of={useMessages(channel, page)}>
        {(found) => (
          <>
            {found.length === 0 && <p class="muted">No messages yet. Send the bot a message.</p>}
            <ul class="list messages">
              {found.map((message) => (
                <MessageLine key={message.id} message={message} channel={channel} isActive={isActive} />
              ))}
            </ul>
            <Pager page={page} hasMore={found.length === MESSAGES} go={setPage} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function MessageLine({
  message,
  channel,
  isActive,
}: {
  message: api.ChannelMessage;
  channel: string;
  isActive: boolean;
}) {
  const { id, direction, sender_name, jid, content, status, error, task_id, created_at } = message;
  const isOutbound = direction === "outbound";
  const again = useAction(async () => {
    await workspace.request("POST", "/api/channels/{channel}/messages/{channel_message}/retry", {
      path: { channel, channel_message: id },
    });
    stale(names.messages(channel));
  });
  return (
    <li>
      <span>{content}</span>
      <span class="muted small">
        {isOutbound ? `to ${jid}` : `from ${sender_name ?? jid}`} · <Moment at={created_at} />
      </span>
      <span class={`outcome ${status === "failed" ? "failed" : ""}`}>
        {isOutbound ? STATES[status] : "Received"}
        {error !== null && `: ${error}`}
      </span>
      {task_id !== null && <Link href={`/runs/${task_id}`}>Open task</Link>}
      {isOutbound && status === "failed" && isActive && (
        <button type="button" disabled={again.isBusy} onClick={() => again.run()}>
          Try again
        </button>
      )}
      {again.error !== undefined && <Refused error={again.error} />}
    </li>
  );
}
