import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { useApprovals, useMe, useSidebar } from "../service/reads.ts";
import { PAGES } from "./places.ts";

const STANDING = { running: "at work", waiting_approval: "waits for you" } as const;

/** Pages of the console, and the projects with their newest chats. */
export function Sidebar() {
  const { data: tree } = useSidebar();
  const { data: approvals = [] } = useApprovals();
  const { data: me } = useMe();
  return (
    <nav aria-label="Console">
      <ul>
        <Page path="/" name="Projects" />
        <li>
          <Here path="/waiting">Waits for you{approvals.length > 0 && ` (${approvals.length})`}</Here>
        </li>
        {PAGES.map((page) => (
          <Page key={page.path} {...page} />
        ))}
        {me?.is_superuser && <Page path="/admin" name="Administration" />}
        <li>
          <a href="/guide">Guide</a>
        </li>
      </ul>
      {tree?.projects.map((project) => (
        <section key={project.id}>
          <h2>
            <Link href={`/projects/${project.slug}`}>{project.name}</Link>
          </h2>
          <ul>
            {project.chats.map((chat) => (
              <li key={chat.id}>
                <Here path={`/projects/${project.slug}/chats/${chat.id}`}>{chat.title ?? "New chat"}</Here>
                {(chat.status === "running" || chat.status === "waiting_approval") && (
                  <span class="small muted"> {STANDING[chat.status]}</span>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** A link that says that its page, or one below it, is open. */
function Here({ path, children }: { path: string; children: ComponentChildren }) {
  const [location] = useLocation();
  const isHere = location === path || (path !== "/" && location.startsWith(`${path}/`));
  return (
    <Link href={path} {...(isHere && { class: "here", "aria-current": "page" as const })}>
      {children}
    </Link>
  );
}

function Page({ path, name }: { path: string; name: string }) {
  return (
    <li>
      <Here path={path}>{name}</Here>
    </li>
  );
}
