import { useProjects } from "../service/reads.ts";
import { useMayEdit } from "../service/roles.ts";
import { NamedOptions } from "./fields.tsx";

/** A choice among the person's projects, in a field of a form. It says so where the person may only look. */
export function ProjectChoice({
  id,
  label,
  value,
  none,
  onChoose,
}: {
  id: string;
  label: string;
  value: string;
  /** What it means to choose none; without it, one must be chosen. */
  none?: string;
  onChoose: (project: string) => void;
}) {
  const { data: projects = [] } = useProjects();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        required={none === undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">{none ?? "Choose a project"}</option>
        <NamedOptions of={projects} />
      </select>
      {value !== "" && <OnlyLooking project={value} />}
    </div>
  );
}

function OnlyLooking({ project }: { project: string }) {
  if (useMayEdit(project) !== false) return null;
  return <span class="small">You are a viewer of this project. Choose another one.</span>;
}
