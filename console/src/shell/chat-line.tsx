import { Archive, Ellipsis, Pencil, Pin, PinOff, UserRound, Users } from "lucide-preact";
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { Question } from "../parts/ask-first.tsx";
import { TextField } from "../parts/fields.tsx";
import { textOf } from "../parts/form-text.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu, MenuButton } from "../parts/menu.tsx";
import { toast } from "../parts/toast.tsx";
import { keys, stale, type ListedChat } from "../service/reads.ts";
import { workspace } from "../service/workspace.ts";
import { sharedBy } from "../parts/shared-by.ts";
import { pinned } from "./pinned.ts";

const STANDING: Partial<Record<ListedChat["status"], { name: string; look: string }>> = {
  running: { name: "working", look: "badge dot good moving" },
  waiting_approval: { name: "needs your input", look: "badge dot warn" },
};

/** A chat in one line, with what can be done with it in a menu. */
export function ChatLine({ project, chat }: { project: string; chat: ListedChat }) {
  const [location] = useLocation();
  const [isRenaming, setRenaming] = useState(false);
  const path = `/projects/${project}/chats/${chat.id}`;
  const isHere = location === path;
  const title = chat.title ?? "New chat";
  const standing = STANDING[chat.status];
  const isPinned = pinned.has(chat.id);
  const change = async (fields: { title?: string | null; status?: "archived" }) => {
    await workspace.chats.update(chat.id, fields);
    stale(keys.sidebar, keys.projects);
  };
  return (
    <li>
      <Link
        href={path}
        class={isHere ? "place of-chat here" : "place of-chat"}
        title={title}
        {...(isHere && { "aria-current": "page" as const })}
      >
        <span class="label" dir="auto">
          {title}
        </span>
        {chat.is_shared && (
          <span class="shared-mark" title={sharedBy(chat)}>
            <Icon of={chat.is_own ? Users : UserRound} />
            <span class="hidden">{sharedBy(chat)}</span>
          </span>
        )}
        {isPinned && <Icon of={Pin} />}
        {standing && (
          <span class={standing.look}>
            <span class="hidden">{standing.name}</span>
          </span>
        )}
      </Link>
      <span class="menu-of-line">
        <Menu label={`Actions for ${title}`} face={<Icon of={Ellipsis} />}>
          {chat.is_own && (
            <MenuButton icon={Pencil} onPicked={() => setRenaming(true)}>
              Rename…
            </MenuButton>
          )}
          <MenuButton icon={isPinned ? PinOff : Pin} onPicked={() => pinned.toggle(chat.id)}>
            {isPinned ? "Unpin" : "Pin"}
          </MenuButton>
          {chat.is_own && (
            <MenuButton
              icon={Archive}
              onPicked={() => {
                change({ status: "archived" }).then(
                  () => toast(`“${title}” is archived.`),
                  () => toast(`“${title}” could not be archived.`, { isBad: true }),
                );
              }}
            >
              Archive
            </MenuButton>
          )}
        </Menu>
      </span>
      {isRenaming && (
        <Question
          title="Rename this chat"
          confirm="Rename"
          isHarmless
          work={(form) => change({ title: textOf(form, "title") || null })}
          onClosed={() => setRenaming(false)}
        >
          <TextField label="Name" name="title" maxLength={200} defaultValue={chat.title ?? ""} />
        </Question>
      )}
    </li>
  );
}
