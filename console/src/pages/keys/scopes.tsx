import { Folded } from "../../parts/folded.tsx";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const useScopes = () => useRead(["api-keys", "scopes"], (signal) => workspace.keys.scopes({ signal }));

/** What a key may do: all that its person may, unless some of it is chosen. */
export function Scopes() {
  return (
    <Folded summary="Permissions: full access, unless you limit it">
      <Choices />
    </Folded>
  );
}

function Choices() {
  const { data: scopes = [] } = useScopes();
  const categories = [...new Set(scopes.map(({ category }) => category))];
  return (
    <>
      {categories.map((category) => (
        <fieldset key={category} class="checks">
          <legend>{category}</legend>
          {scopes
            .filter((scope) => scope.category === category)
            .map(({ value, label }) => (
              <label key={value} class="check">
                <input type="checkbox" name="scopes" value={value} />
                <span>
                  {label} <code class="muted">{value}</code>
                </span>
              </label>
            ))}
        </fieldset>
      ))}
    </>
  );
}
