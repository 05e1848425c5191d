import type { api } from "@agent-workspace/client";
import { MessageSquare } from "lucide-preact";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProjectState } from "../../parts/project/project-state.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useCreateChat } from "../../parts/use-create-chat.ts";
import { Used } from "../../parts/used.tsx";
import { useProject, useSidebar, type ListedChat } from "../../service/reads.ts";
import { useMayMake, useProjectRole } from "../../service/roles.ts";
import { ProjectMenu } from "./project-menu.tsx";

/** A project: its chats, its state, and what can be done with it. */
export function ProjectPage({ project }: { project: string }) {
  return (
    <Loaded title="Project" of={useProject(project)}>
      {(found) => <Found project={found} />}
    </Loaded>
  );
}

function Found({ project }: { project: api.Project }) {
  const newChat = useCreateChat();
  const role = useProjectRole(project.slug);
  const mayEdit = role === "admin" || role === "editor";
  // A fork is made in the active team, which need not be that of the project.
  const mayMake = useMayMake();
  return (
    <>
      <Heading
        actions={
          <>
            {mayEdit && (
              <button
                type="button"
                class="primary"
                disabled={newChat.isBusy}
                onClick={() => newChat.run(project)}
              >
                New chat
              </button>
            )}
            <ProjectMenu
              project={project}
              mayFork={mayEdit && mayMake === true}
              mayDelete={role === "admin"}
            />
          </>
        }
      >
        {project.name}
      </Heading>
      {project.description !== "" && <p class="muted">{project.description}</p>}
      <ProjectState project={project.slug} />
      {newChat.error !== undefined && <Refused error={newChat.error} />}
      <h2>Chats</h2>
      <Chats project={project} isViewer={role === "viewer"} />
      <p class="muted small">
        Created <Moment at={project.created_at} /> · <Used at={project.last_activity} />
      </p>
    </>
  );
}

/** States of a chat that are worth a word. */
const SAID: ReadonlySet<string> = new Set(["running", "waiting_approval", "archived"]);

function Chats({ project, isViewer }: { project: api.Project; isViewer: boolean }) {
  return (
    <Loaded of={useSidebar()}>
      {(tree) => {
        const chats = tree.projects.find(({ id }) => id === project.id)?.chats ?? [];
        if (chats.length === 0) {
          return (
            <Empty icon={MessageSquare} title={isViewer ? "No chats that you can see" : "No chats yet"}>
              {isViewer
                ? "A chat is private until the person who began it shares it, and there is no shared chat here yet. Viewers cannot start one. You can look at the project’s files and changes."
                : "In a chat you tell the agent what to do. It works on the files of this project."}
            </Empty>
          );
        }
        return (
          <>
            <ChatList project={project} chats={chats.filter((chat) => chat.is_own)} />
            {chats.some((chat) => !chat.is_own) && <h3>Shared by others</h3>}
            <ChatList project={project} chats={chats.filter((chat) => !chat.is_own)} />
          </>
        );
      }}
    </Loaded>
  );
}

function ChatList({ project, chats }: { project: api.Project; chats: readonly ListedChat[] }) {
  if (chats.length === 0) return null;
  return (
    <ul class="list">
      {chats.map((chat) => (
        <li key={chat.id}>
          <span class="told">
            <Link href={`/projects/${project.slug}/chats/${chat.id}`}>{chat.title ?? "New chat"}</Link>
          </span>
          {SAID.has(chat.status) && <State of={chat.status} />}
          {chat.is_shared && <span class="badge">{chat.is_own ? "Shared" : `By ${chat.owner_name}`}</span>}
          <span class="muted small">
            <Moment at={chat.updated_at ?? chat.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
