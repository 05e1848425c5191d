import { ArrowUp, Check, Ellipsis, Paperclip, Square } from "lucide-preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { Menu, MenuChoice } from "../../parts/menu.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { AttachmentList, filesIn, useAttachments } from "./attachments.tsx";
import { Chips } from "./chips.tsx";
import type { Command } from "./commands.ts";
import { completed, completionAt, type Completion } from "./completion.ts";
import type { Draft } from "./draft.ts";
import { enterSends, setEnterSends } from "./enter-key.ts";
import { isSending } from "./sending-key.ts";
import { SuggestionList, useSuggestions, type Suggestion } from "./suggestions.tsx";

/** Longest message that the service takes, in characters. */
const MAX_MESSAGE = 10_000;

export interface ComposerProps {
  project: string;
  chatId: string;
  draft: Draft;
  /** Rises when the draft was written elsewhere. */
  draftVersion: number;
  commands: readonly Command[];
  /** Sends a message, which is kept until the service has it. */
  post: (message: string, attachments: readonly object[]) => void;
  /** Stops the agent; undefined while it is not at work. */
  stop: (() => Promise<unknown>) | undefined;
  /** Whether the agent waits for an answer, which a message would be, too. */
  isAsking: boolean;
}

/** Where a person writes to the agent. What is written is kept until it is sent, also over a reload. */
export function Composer({
  project,
  chatId,
  draft,
  draftVersion,
  commands,
  post,
  stop,
  isAsking,
}: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isEmpty, setEmpty] = useState(draft.read().trim() === "");
  const [completion, setCompletion] = useState<Completion>();
  const suggestions = useSuggestions(project, completion, commands);
  const attachments = useAttachments(chatId);
  const stopping = useAction(async () => stop?.());
  const list = useId();
  const isOffering = completion !== undefined && suggestions.found.length > 0;
  const isSomething = !isEmpty || attachments.uploads.length > 0;

  const write = (text: string, caret = text.length) => {
    if (!field.current) return;
    field.current.value = text;
    field.current.setSelectionRange(caret, caret);
    field.current.focus();
    written();
  };
  const written = () => {
    const { value = "", selectionStart = 0, selectionEnd = 0 } = field.current ?? {};
    draft.write(value);
    setEmpty(value.trim() === "");
    const next = selectionStart === selectionEnd ? completionAt(value, selectionStart) : undefined;
    setCompletion((before) => (isSame(before, next) ? before : next));
  };
  useLayoutEffect(() => {
    if (draftVersion > 0) write(draft.read());
  }, [draftVersion]);
  const pick = ({ text, run }: Suggestion) => {
    if (!completion || !field.current) return;
    if (text === undefined) {
      write("");
      draft.clear();
      return run();
    }
    const after = completed(field.current.value, completion, text);
    write(after.text, after.caret);
    setCompletion(undefined);
  };
  const submit = () => {
    const message = field.current?.value.trim() ?? "";
    if ((message === "" && attachments.uploads.length === 0) || attachments.isBusy) return;
    post(message, attachments.take());
    write("");
    draft.clear();
  };
  const take = (event: Event, data: DataTransfer | null) => {
    const files = filesIn(data);
    if (files.length === 0) return;
    event.preventDefault();
    attachments.add(files);
  };
  const pressed = (event: KeyboardEvent) => {
    if (isOffering && !event.isComposing) {
      const { marked, move } = suggestions;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const isPick = (event.key === "Enter" && !event.shiftKey) || event.key === "Tab";
      if (step !== undefined) move(step);
      else if (isPick && marked) pick(marked);
      else if (event.key === "Escape") setCompletion(undefined);
      else return;
      event.preventDefault();
      return;
    }
    if (!isSending(event, enterSends.value)) return;
    event.preventDefault();
    submit();
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
      {isOffering && <SuggestionList id={list} suggestions={suggestions} pick={pick} />}
      <AttachmentList attachments={attachments} />
      <label class="hidden" for="message">
        Message the agent
      </label>
      <textarea
        id="message"
        ref={field}
        rows={2}
        dir="auto"
        maxLength={MAX_MESSAGE}
        placeholder={isAsking ? "Deny with a message…" : stop ? "Queue a message…" : "Message the agent…"}
        defaultValue={draft.read()}
        aria-autocomplete="list"
        aria-controls={isOffering ? list : undefined}
        aria-activedescendant={
          isOffering && suggestions.marked
            ? `${list}-${suggestions.found.indexOf(suggestions.marked)}`
            : undefined
        }
        onInput={written}
        onSelect={() => completion && written()}
        onBlur={() => setCompletion(undefined)}
        onPaste={(event) => take(event, event.clipboardData)}
        onKeyDown={pressed}
      />
      <div class="row">
        <AttachButton add={attachments.add} />
        <Chips project={project} />
        <span class="spring" />
        <SendingKey />
        {stop && (
          <button type="button" disabled={stopping.isBusy} onClick={() => stopping.run()}>
            <Icon of={Square} />
            Stop
          </button>
        )}
        {(!stop || isSomething) && (
          <button type="submit" class="primary" disabled={attachments.isBusy}>
            <Icon of={ArrowUp} />
            {stop ? "Queue" : "Send"}
          </button>
        )}
      </div>
      {stop && stopping.error !== undefined && <Refused error={stopping.error} />}
    </form>
  );
}

function isSame(one: Completion | undefined, other: Completion | undefined): boolean {
  return one?.kind === other?.kind && one?.from === other?.from && one?.query === other?.query;
}

function AttachButton({ add }: { add: (files: readonly File[]) => void }) {
  return (
    <label class="button quiet icon-button" title="Attach files">
      <Icon of={Paperclip} />
      <span class="hidden">Attach files</span>
      <input
        class="hidden"
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** What Enter does. */
function SendingKey() {
  return (
    <Menu label="Enter key" face={<Icon of={Ellipsis} />}>
      <MenuChoice isChosen={enterSends.value} mark={Check} onPicked={() => setEnterSends(true)}>
        Enter sends, Shift+Enter breaks the line
      </MenuChoice>
      <MenuChoice isChosen={!enterSends.value} mark={Check} onPicked={() => setEnterSends(false)}>
        Enter breaks the line, Shift+Enter sends
      </MenuChoice>
    </Menu>
  );
}
