import { useMemo, useRef } from "preact/hooks";
import { useShowBeside } from "../../parts/pane.ts";
import { toast } from "../../parts/toast.tsx";
import { useCreateChat } from "../../parts/use-create-chat.ts";
import { useSidebar } from "../../service/reads.ts";
import { WorkspaceError } from "@agent-workspace/client";
import { choose } from "../../service/choices.ts";
import { compactChat, undoNewest } from "./chat-work.ts";
import { commandsOf } from "./commands.ts";
import { Composer, type ComposerProps } from "./composer.tsx";

/** Where a person writes, with what the commands after `/` do in this chat. */
export function ChatInput({
  changed,
  reuse,
  ...shown
}: Omit<ComposerProps, "commands"> & {
  /** The messages of the chat are not those that were read. */
  changed: () => Promise<void>;
  reuse: (text: string) => void;
}) {
  const { project, chatId, stop } = shown;
  const show = useShowBeside(project);
  const { data: tree } = useSidebar();
  const here = tree?.projects.find(({ id, slug }) => id === project || slug === project);
  const creating = useCreateChat(say);
  const isAtWork = stop !== undefined;
  /** The newest of what the commands need, so that their list stays the same. */
  const now = useRef({ stop, here, changed, reuse, show, creating });
  now.current = { stop, here, changed, reuse, show, creating };
  const commands = useMemo(() => {
    const { current } = now;
    const work = (done: () => Promise<string>) => () =>
      void done().then(toast, (error: unknown) => say(sentenceOf(error)));
    return commandsOf({
      setMode: (mode) => choose(project, { mode }),
      undo: work(() => undoNewest(chatId, { changed: current.changed, undone: current.reuse })),
      compact: work(() => compactChat(chatId, current.changed)),
      stop: isAtWork ? () => void now.current.stop?.().catch((error) => say(sentenceOf(error))) : undefined,
      newChat: () => now.current.here && now.current.creating.run(now.current.here),
      show: (tab) => now.current.show(`/projects/${project}/${tab}`),
    });
  }, [project, chatId, isAtWork]);
  return <Composer {...shown} commands={commands} />;
}

function say(sentence: string): void {
  toast(sentence, { isBad: true });
}

function sentenceOf(error: unknown): string {
  return error instanceof WorkspaceError ? error.detail : "Something went wrong.";
}
