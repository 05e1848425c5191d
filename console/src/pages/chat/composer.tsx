import { useLayoutEffect, useRef } from "preact/hooks";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { AttachmentList, filesIn, useAttachments } from "./attachments.tsx";
import type { Draft } from "./draft.ts";
import { onItsWay, sent } from "./outbox.ts";

/** Longest message that the service takes, in characters. */
const MAX_MESSAGE = 10_000;

type EditMode = "allow" | "ask" | "plan";

export interface Message {
  readonly message: string;
  readonly edit_mode: EditMode;
  readonly attachments: readonly object[];
}

/** Where a person writes to the agent. What is written is kept until the service has it, also over a reload. */
export function Composer({
  chatId,
  draft,
  send,
  stop,
}: {
  chatId: string;
  draft: Draft;
  send: (message: Message) => Promise<unknown>;
  /** Stops the agent; undefined while it is not at work. */
  stop: (() => Promise<unknown>) | undefined;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const mode = useRef<HTMLSelectElement>(null);
  const attachments = useAttachments(chatId);
  const { uploads } = attachments;
  const sending = useAction(async (message: string) => {
    const edit_mode = modeOf(mode.current?.value);
    await sent(chatId, message, deliver({ message, edit_mode, attachments: attachments.wire }));
    attachments.clear(uploads);
  });
  /** Forgets the draft, unless the person has written on by then. */
  const deliver = async (message: Message) => {
    await send(message);
    if (draft.read().trim() === message.message) draft.clear();
  };
  const leaving = onItsWay(chatId);
  // The person may have left and come back before it was accepted: what is shown here then is what was sent there.
  useLayoutEffect(() => {
    if (!leaving) return undefined;
    return () => {
      if (leaving.isAccepted && field.current?.value.trim() === leaving.message) field.current.value = "";
    };
  }, [leaving]);
  const stopping = useAction(async () => stop?.());
  const submit = () => {
    const message = field.current?.value.trim() ?? "";
    const isSomething = message !== "" || uploads.length > 0;
    if (isSomething && !attachments.isBusy && onItsWay(chatId) === undefined) sending.run(message);
  };
  const take = (event: Event, data: DataTransfer | null) => {
    const files = filesIn(data);
    if (files.length === 0) return;
    event.preventDefault();
    attachments.add(files);
  };
  return (
    <form
      class="composer"
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <AttachmentList attachments={attachments} />
      <label class="hidden" for="message">
        Message the agent
      </label>
      <textarea
        id="message"
        ref={field}
        rows={3}
        maxLength={MAX_MESSAGE}
        placeholder="Message the agent…"
        defaultValue={draft.read()}
        onInput={({ currentTarget }) => draft.write(currentTarget.value)}
        onPaste={(event) => take(event, event.clipboardData)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          submit();
        }}
      />
      <div class="row">
        <label for="mode" class="small">
          Edits
        </label>
        <select id="mode" ref={mode}>
          <option value="ask">Ask first</option>
          <option value="allow">Allow edits</option>
          <option value="plan">Plan only</option>
        </select>
        <label class="button">
          Attach
          <input
            class="hidden"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              attachments.add([...(currentTarget.files ?? [])]);
              currentTarget.value = "";
            }}
          />
        </label>
        <span class="spring" />
        {stop && (
          <button type="button" disabled={stopping.isBusy} onClick={() => stopping.run()}>
            Stop
          </button>
        )}
        <button type="submit" class="primary" disabled={leaving !== undefined || attachments.isBusy}>
          {leaving === undefined ? "Send" : "Sending…"}
        </button>
      </div>
      {sending.error !== undefined && <Refused error={sending.error} />}
      {stop && stopping.error !== undefined && <Refused error={stopping.error} />}
    </form>
  );
}

function modeOf(value: string | undefined): EditMode {
  return value === "allow" || value === "plan" ? value : "ask";
}
