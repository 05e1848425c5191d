import { Users } from "lucide-preact";
import { Icon } from "../../parts/icon.tsx";
import { Question } from "../../parts/ask-first.tsx";
import { sharedBy } from "../../parts/shared-by.ts";
import { useState } from "preact/hooks";
import { keys, stale, type ListedChat } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Whether the people of the project see a chat: a switch for those who may turn it, a word for the others. */
export function Sharing({ chat, mayManage }: { chat: ListedChat; mayManage: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { is_shared: isShared } = chat;
  if (!mayManage) return isShared ? <span class="badge">{sharedBy(chat)}</span> : null;
  const share = async () => {
    await workspace.chats.update(chat.id, { is_shared: !isShared });
    stale(keys.sidebar, keys.projects);
  };
  return (
    <>
      <button
        type="button"
        aria-pressed={isShared}
        title={isShared ? sharedBy(chat) : "Only you see this chat"}
        onClick={() => setOpen(true)}
      >
        <Icon of={Users} /> {isShared ? "Shared" : "Share…"}
      </button>
      {isOpen && (
        <Question
          title={isShared ? "Make this chat private?" : "Share this chat?"}
          confirm={isShared ? "Make private" : "Share chat"}
          isHarmless={!isShared}
          work={share}
          onClosed={() => setOpen(false)}
        >
          <p>
            {isShared
              ? "Others no longer see it, and what the agent does for them in it is stopped."
              : "Everyone who sees the project reads all of it, and editors write in it. The agent acts with the rights and keys of the person who wrote, and the project’s team pays the credits."}
          </p>
        </Question>
      )}
    </>
  );
}
