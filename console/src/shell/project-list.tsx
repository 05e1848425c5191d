import { ChevronRight, Plus } from "lucide-preact";
import { Link, useLocation } from "wouter-preact";
import { Icon } from "../parts/icon.tsx";
import { useSidebar } from "../service/reads.ts";
import { remembered } from "../service/remembered.ts";
import { useMayMake } from "../service/roles.ts";
import { ChatLine } from "./chat-line.tsx";
import { pinned } from "./pinned.ts";
import { projectAt } from "./places.ts";

/** As many projects, and chats of each, as leave the rest of the sidebar in view. */
const MAX_PROJECTS = 6;
const MAX_CHATS = 5;

const folded = remembered("sidebar.folded-projects");

/** The newest projects with their newest chats, pinned ones first. */
export function ProjectList() {
  const { data: tree } = useSidebar();
  const mayMake = useMayMake();
  const [location] = useLocation();
  const here = projectAt(location);
  const projects = tree?.projects ?? [];
  return (
    <section>
      <h2>
        <Link
          class={location === "/" ? "place here" : "place"}
          href="/"
          {...(location === "/" && { "aria-current": "page" as const })}
        >
          <span class="label">Projects</span>
        </Link>
        {mayMake && (
          <Link class="button quiet icon-button" href="/projects/new" aria-label="New project">
            <Icon of={Plus} />
          </Link>
        )}
      </h2>
      <ul>
        {projects
          .filter(({ id, slug }, index) => index < MAX_PROJECTS || id === here || slug === here)
          .map((project) => (
            <Project key={project.id} project={project} here={here} />
          ))}
      </ul>
    </section>
  );
}

type Project = NonNullable<ReturnType<typeof useSidebar>["data"]>["projects"][number];

function Project({ project, here }: { project: Project; here: string | undefined }) {
  const [location] = useLocation();
  const { id, slug, name, chats } = project;
  const isHere = here === id || here === slug;
  const isOpen = isHere || !folded.has(id);
  const isPage = isHere && !location.includes("/chats/");
  const shown = chats
    .filter(({ status }) => status !== "archived")
    .toSorted((a, b) => Number(pinned.has(b.id)) - Number(pinned.has(a.id)));
  return (
    <li>
      <div class="project-line">
        <button
          type="button"
          class="quiet icon-button fold"
          aria-label={`Chats of ${name}`}
          aria-expanded={isOpen}
          disabled={isHere}
          onClick={() => folded.toggle(id)}
        >
          <span class="chevron">
            <Icon of={ChevronRight} />
          </span>
        </button>
        <Link
          href={`/projects/${slug}`}
          class={isPage ? "place here" : "place"}
          title={name}
          {...(isPage && { "aria-current": "page" as const })}
        >
          <span class="label">{name}</span>
        </Link>
      </div>
      {isOpen && shown.length > 0 && (
        <ul>
          {shown.slice(0, MAX_CHATS).map((chat) => (
            <ChatLine key={chat.id} project={slug} chat={chat} />
          ))}
        </ul>
      )}
    </li>
  );
}
