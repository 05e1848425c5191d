import { AppWindow, Ellipsis, Folder, MessageSquare } from "lucide-preact";
import { Link, useLocation } from "wouter-preact";
import { Icon } from "../parts/icon.tsx";
import { useSidebar } from "../service/reads.ts";
import { projectAt } from "./places.ts";

const TABS = [
  { path: "", name: "Chats", icon: MessageSquare },
  { path: "/files", name: "Files", icon: Folder },
  { path: "/preview", name: "Preview", icon: AppWindow },
] as const;

/** On a phone: the pages of the project that is open, or of the newest, under the thumb. */
export function BottomBar({ isOpen, open }: { isOpen: boolean; open: () => void }) {
  const [location] = useLocation();
  const { data: tree } = useSidebar();
  const project = projectAt(location) ?? tree?.projects[0]?.slug;
  const at = `/projects/${project}`;
  const isHere = (path: string) =>
    path === ""
      ? location === at || location.startsWith(`${at}/chats/`)
      : location === at + path || location.startsWith(`${at}${path}/`);
  return (
    <nav class="bottombar" aria-label="Project pages" inert={isOpen}>
      {TABS.map(({ path, name, icon }) => (
        <Link
          key={name}
          href={project === undefined ? "/" : at + path}
          {...(isHere(path) && { class: "here", "aria-current": "page" as const })}
        >
          <Icon of={icon} />
          {name}
        </Link>
      ))}
      <button type="button" aria-expanded={isOpen} onClick={open}>
        <Icon of={Ellipsis} />
        More
      </button>
    </nav>
  );
}
