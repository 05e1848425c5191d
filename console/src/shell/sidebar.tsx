import { ChevronRight, Inbox, Search } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { Badge } from "../parts/badge.tsx";
import { Icon, type LucideIcon } from "../parts/icon.tsx";
import { number } from "../parts/numbers.ts";
import { remembered } from "../service/remembered.ts";
import { useApprovals } from "../service/reads.ts";
import { useTeamRole } from "../service/roles.ts";
import { waiting } from "../service/tab-title.ts";
import { NewChat } from "./new-chat.tsx";
import { openDialog } from "./open-dialog.ts";
import { PersonMenu } from "./person-menu.tsx";
import { GROUPS, placeAt, type Place } from "./places.ts";
import { ProjectList } from "./project-list.tsx";
import { TeamSwitch } from "./team-switch.tsx";

const folded = remembered("sidebar.folded");

/** Where one can go: what is done most, the projects with their newest chats, and all other pages in groups. */
export function Sidebar() {
  const { data: approvals = [] } = useApprovals();
  useEffect(() => void (waiting.value = approvals.length), [approvals.length]);
  const role = useTeamRole();
  const [location] = useLocation();
  const here = placeAt(location);
  return (
    <>
      <header>
        <Link class="brand" href="/">
          Agent Workspace
        </Link>
        <TeamSwitch />
      </header>
      <nav aria-label="Console">
        <ul>
          <li>
            <NewChat />
          </li>
          <li>
            <button
              type="button"
              class="place"
              aria-keyshortcuts="Control+K Meta+K"
              aria-label="Search or jump to…"
              onClick={() => (openDialog.value = "go-to")}
            >
              <Icon of={Search} />
              <span class="label">Search</span>
              <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
            </button>
          </li>
          <Line path="/waiting" name="Needs your input" icon={Inbox} isHere={location === "/waiting"}>
            {approvals.length > 0 && <Badge kind="warn">{number(approvals.length)}</Badge>}
          </Line>
        </ul>
        <ProjectList />
        {GROUPS.map(({ name, places }) => (
          <Group
            key={name}
            name={name}
            places={places.filter(({ isForAdmins }) => isForAdmins !== true || role === "admin")}
            here={here}
          />
        ))}
      </nav>
      <footer>
        <PersonMenu />
      </footer>
    </>
  );
}

const isApple = /Mac|iPhone|iPad/u.test(navigator.userAgent);

function Group({ name, places, here }: { name: string; places: readonly Place[]; here: string | undefined }) {
  const isOpen = !folded.has(name);
  return (
    <section>
      <h2>
        <button type="button" class="place" aria-expanded={isOpen} onClick={() => folded.toggle(name)}>
          <span class="label">{name}</span>
          <span class="chevron">
            <Icon of={ChevronRight} />
          </span>
        </button>
      </h2>
      {isOpen && (
        <ul>
          {places.map((place) => (
            <Line key={place.path} {...place} isHere={place.path === here} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Line({
  path,
  name,
  icon,
  isHere,
  children,
}: {
  path: string;
  name: string;
  icon: LucideIcon;
  isHere: boolean;
  children?: preact.ComponentChildren;
}) {
  return (
    <li>
      <Link
        href={path}
        class={isHere ? "place here" : "place"}
        {...(isHere && { "aria-current": "page" as const })}
      >
        <Icon of={icon} />
        <span class="label">{name}</span>
        {children}
      </Link>
    </li>
  );
}
