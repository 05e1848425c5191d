import { Choice, NamedOptions } from "../../parts/fields.tsx";
import { useModels } from "../../service/reads.ts";

/** One of the models that there are, or the default. What is chosen stays in the list although it is gone. */
export function ModelChoice({ label, chosen }: { label: string; chosen: string | null }) {
  const { data: listed } = useModels();
  const models = listed?.models.filter(({ disabled, id }) => !disabled || id === chosen) ?? [];
  return (
    <Choice label={label} name="model">
      <option value="">Default model</option>
      {chosen !== null && !models.some(({ id }) => id === chosen) && (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
      <NamedOptions of={models} chosen={chosen} />
    </Choice>
  );
}
