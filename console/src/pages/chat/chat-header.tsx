import { ConflictError } from "@agent-workspace/client";
import { PanelRight } from "lucide-preact";
import { useState } from "preact/hooks";
import { Heading } from "../../parts/heading.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hasPaneRoom, isPaneShown, openPane } from "../../parts/pane.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import type { ListedChat } from "../../service/reads.ts";
import { compactChat, undoNewest } from "./chat-work.ts";
import { Sharing } from "./sharing.tsx";
import { ChatSettings } from "./chat-settings.tsx";

/** The name of a chat and what can be done with all of it. */
export function ChatHeader({
  project,
  chatId,
  chat,
  liveTitle,
  isAtWork,
  newest,
  mayChange,
  mayManage,
  mayUndo,
  changed,
  undone,
}: {
  project: string;
  chatId: string;
  /** As lists show it; undefined until they are read. */
  chat: ListedChat | undefined;
  liveTitle: string | undefined;
  isAtWork: boolean;
  /** The task whose message would be taken back. */
  newest: string | undefined;
  /** Whether the person may change the chat, and not only read it. */
  mayChange: boolean;
  /** Whether it is theirs, or they administrate the project. */
  mayManage: boolean;
  /** Whether the newest message is theirs to take back. */
  mayUndo: boolean;
  /** The messages of the chat are not those that were read. */
  changed: () => Promise<void>;
  /** The message that was taken back. */
  undone: (message: string) => void;
}) {
  const [said, setSaid] = useState("");
  /** What was to be taken back: what was refused of it is no word about another message. */
  const [asked, setAsked] = useState<string>();
  const undoing = useAction(async (force: boolean) => {
    setAsked(newest);
    setSaid(await undoNewest(chatId, { changed, undone }, force));
  });
  const compacting = useAction(async () => setSaid(await compactChat(chatId, changed)));
  const refusal = asked === newest ? undoing.error : undefined;
  return (
    <>
      <div class="row chat-header">
        <Heading>{chat?.title ?? liveTitle ?? (chat === undefined ? "Chat" : "New chat")}</Heading>
        {/* Together, also where they have no room beside the name. */}
        <div class="row chat-actions">
          {chat && <Sharing chat={chat} mayManage={mayManage} />}
          {mayChange && (
            <>
              <button
                type="button"
                disabled={isAtWork || newest === undefined || !mayUndo || undoing.isBusy}
                title="Undo the last message and its file changes"
                onClick={() => undoing.run(false)}
              >
                Undo
              </button>
              <button
                type="button"
                disabled={isAtWork || newest === undefined || compacting.isBusy}
                title="Summarise the conversation to free context"
                onClick={() => compacting.run()}
              >
                {compacting.isBusy ? "Compacting…" : "Compact"}
              </button>
              {chat && mayManage && <ChatSettings project={project} chat={chat} />}
            </>
          )}
          {hasPaneRoom.value && (
            <button
              type="button"
              class="quiet icon-button"
              aria-label="Files beside the chat"
              title="Files, changes, preview and terminal beside the chat"
              aria-pressed={isPaneShown.value}
              onClick={() => openPane(!isPaneShown.value)}
            >
              <Icon of={PanelRight} />
            </button>
          )}
        </div>
      </div>
      {said !== "" && (
        <p class="muted small" role="status">
          {said}
        </p>
      )}
      {refusal !== undefined && <Refused error={refusal} />}
      {refusal instanceof ConflictError && (
        <button type="button" class="danger" onClick={() => undoing.run(true)}>
          Undo anyway
        </button>
      )}
      {compacting.error !== undefined && <Refused error={compacting.error} />}
    </>
  );
}
