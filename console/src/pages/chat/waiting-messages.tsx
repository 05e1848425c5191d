import { Refused } from "../../parts/refused.tsx";
import { sentFiles } from "./details.ts";
import { Message } from "./message.tsx";
import { discard, onTheirWay, repeat, type Leaving, type Send } from "./outbox.ts";

/** The messages of a chat that the service has not taken yet, after those that it has. */
export function WaitingMessages({
  chatId,
  isOffline,
  send,
  reuse,
}: {
  chatId: string;
  isOffline: boolean;
  send: Send;
  /** Puts a text where the next message is written. */
  reuse: (text: string) => void;
}) {
  return (
    <>
      {onTheirWay(chatId).map((message) => (
        <article key={message.key} class="outgoing">
          <Message text={message.message} files={sentFiles(message.attachments)}>
            {message.isRefused ? (
              <Unsent chatId={chatId} message={message} send={send} reuse={reuse} />
            ) : (
              <p class="message-bar muted small" role="status">
                {isOffline ? "Waits for the connection" : "Sending…"}
              </p>
            )}
          </Message>
        </article>
      ))}
    </>
  );
}

/** Why a message was not sent, and what can be done with it. */
function Unsent({
  chatId,
  message,
  send,
  reuse,
}: {
  chatId: string;
  message: Leaving;
  send: Send;
  reuse: (text: string) => void;
}) {
  return (
    <>
      {message.error === undefined ? (
        <p class="muted small">This message was not sent.</p>
      ) : (
        <Refused error={message.error} />
      )}
      <div class="row">
        <button type="button" onClick={() => repeat(chatId, message, send)}>
          Send again
        </button>
        <button
          type="button"
          onClick={() => {
            discard(chatId, message);
            reuse(message.message);
          }}
        >
          Edit
        </button>
        <button type="button" onClick={() => discard(chatId, message)}>
          Discard
        </button>
      </div>
    </>
  );
}
