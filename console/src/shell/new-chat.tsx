import { SquarePen } from "lucide-preact";
import { Link, useLocation } from "wouter-preact";
import { Icon } from "../parts/icon.tsx";
import { toast } from "../parts/toast.tsx";
import { useCreateChat } from "../parts/use-create-chat.ts";
import { useSidebar } from "../service/reads.ts";
import { useMayEdit, useMayMake } from "../service/roles.ts";
import { projectAt } from "./places.ts";

/** Begins a chat in the project that is open, or in the newest; without a project, with one. */
export function NewChat() {
  const [location] = useLocation();
  const { data: tree } = useSidebar();
  const here = projectAt(location);
  const mayEditHere = useMayEdit(here ?? "");
  const mayMake = useMayMake();
  const project = tree?.projects.find(({ id, slug }) => id === here || slug === here) ?? tree?.projects[0];
  const { run, isBusy } = useCreateChat((sentence) => toast(sentence, { isBad: true }));
  if ((here === undefined ? mayMake : mayEditHere) === false) return null;
  const face = (
    <>
      <Icon of={SquarePen} />
      <span class="label">New chat</span>
    </>
  );
  if (tree && project === undefined) {
    return (
      <Link class="place" href="/projects/new">
        {face}
      </Link>
    );
  }
  return (
    <button
      type="button"
      class="place"
      disabled={isBusy || project === undefined}
      title={project && `In ${project.name}`}
      onClick={() => project && run(project)}
    >
      {face}
    </button>
  );
}
