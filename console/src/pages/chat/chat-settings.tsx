import { useState } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { ListedChat } from "../../service/reads.ts";

const Form = lazily<{ project: string; chat: ListedChat; close: () => void }>(
  async () => (await import("./chat-settings-form.tsx")).Form,
);

/** Name, agent, model and place of a chat, its archive and its end. */
export function ChatSettings({ project, chat }: { project: string; chat: ListedChat }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Settings…
      </button>
      {isOpen && (
        <Dialog labelledBy="chat-settings" onClosed={() => setOpen(false)}>
          {(close) => <Form project={project} chat={chat} close={close} />}
        </Dialog>
      )}
    </>
  );
}
