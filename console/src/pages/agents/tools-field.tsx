import { useState } from "preact/hooks";
import { TOOL_GROUPS } from "./tool-names.ts";

const KNOWN = new Set(TOOL_GROUPS.flatMap(({ tools }) => Object.keys(tools)));

/** Which tools an agent has: all, or those that are chosen. */
export function ToolsField({ chosen }: { chosen: readonly string[] | null }) {
  const [isAll, setAll] = useState(chosen === null);
  const has = (name: string) => chosen?.includes(name) === true;
  // Those of an agent that the API gave another name.
  const others = chosen?.filter((name) => !KNOWN.has(name)) ?? [];
  return (
    <fieldset aria-label="Tools">
      <legend>Tools</legend>
      <label class="check">
        <input
          type="checkbox"
          name="all_tools"
          value="yes"
          checked={isAll}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />
        All tools
      </label>
      {!isAll &&
        TOOL_GROUPS.map(({ name, tools }) => (
          <div key={name} role="group" aria-label={name}>
            <p class="muted small">{name}</p>
            <div class="checks">
              {Object.entries(tools).map(([tool, what]) => (
                <Tool key={tool} name={tool} what={what} isChosen={has(tool)} />
              ))}
            </div>
          </div>
        ))}
      {!isAll && others.map((tool) => <Tool key={tool} name={tool} what={tool} isChosen />)}
    </fieldset>
  );
}

function Tool({ name, what, isChosen }: { name: string; what: string; isChosen: boolean }) {
  return (
    <label class="check" title={name}>
      <input type="checkbox" name="tools" value={name} defaultChecked={isChosen} />
      {what}
    </label>
  );
}

/** The tools that were chosen in a form; null for all. */
export function toolsOf(form: FormData): string[] | null {
  const tools = form.getAll("tools").filter((tool) => typeof tool === "string");
  return form.has("all_tools") || tools.length === 0 ? null : tools;
}
