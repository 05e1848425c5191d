import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { DeleteProject } from "../../parts/project/delete-project.tsx";
import { ProjectState } from "../../parts/project/project-state.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { keys, stale, useProject, useSidebar } from "../../service/reads.ts";
import { useMayMake, useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { CopyProject } from "./copy-project.tsx";

/** A project: its state, its chats, and its end. */
export function ProjectPage({ project }: { project: string }) {
  return <Loaded of={useProject(project)}>{(found) => <Found project={found} />}</Loaded>;
}

function Found({ project }: { project: api.Project }) {
  const leadOn = useLeadOn();
  const { data: tree } = useSidebar();
  const chats = tree?.projects.find(({ id }) => id === project.id)?.chats ?? [];
  const newChat = useAction(async () => {
    const chat = await workspace.chats.create({ project_id: project.id });
    stale(keys.sidebar);
    leadOn(`/projects/${project.slug}/chats/${chat.id}`);
  });
  const role = useProjectRole(project.slug);
  const mayEdit = role === "admin" || role === "editor";
  // A fork is made in the active team, which need not be that of the project.
  const mayMake = useMayMake();
  return (
    <>
      <h1>{project.name}</h1>
      {project.description !== "" && <p>{project.description}</p>}
      <p class="muted">
        Made <Moment at={project.created_at} /> · used <Moment at={project.last_activity} />
      </p>
      <ProjectState project={project.slug} />
      <div class="row">
        {mayEdit && (
          <button type="button" class="primary" disabled={newChat.isBusy} onClick={() => newChat.run()}>
            New chat
          </button>
        )}
        <CopyProject project={project} mayFork={mayEdit && mayMake === true} />
        {role === "admin" && <DeleteProject project={project} />}
      </div>
      {newChat.error !== undefined && <Refused error={newChat.error} />}
      <h2>Chats</h2>
      {chats.length === 0 && <p class="muted">There is no chat yet.</p>}
      <ul class="list">
        {chats.map((chat) => (
          <li key={chat.id}>
            <Link href={`/projects/${project.slug}/chats/${chat.id}`}>{chat.title ?? "New chat"}</Link>
            <span class="muted small">
              {chat.status} · <Moment at={chat.updated_at ?? chat.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
