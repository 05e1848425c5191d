import { Choice, NamedOptions } from "../../parts/fields.tsx";
import { useProjectAgents } from "../../service/reads.ts";

/** The agent of a schedule, among those of its project; empty for the default one. */
export function AgentField({ project, value }: { project: string; value: string }) {
  const { data: agents = [] } = useProjectAgents(project);
  return (
    <Choice label="Agent" name="agent">
      <option value="">Default agent</option>
      {value !== "" && !agents.some(({ id }) => id === value) && (
        <option value={value} selected>
          Current agent
        </option>
      )}
      <NamedOptions of={agents} chosen={value} />
    </Choice>
  );
}
