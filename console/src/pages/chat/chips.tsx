import { Bot, Check, ChevronDown, Cpu, Hand, NotebookPen, PenLine, type LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { Icon } from "../../parts/icon.tsx";
import { Menu, MenuChoice, MenuNote } from "../../parts/menu.tsx";
import { useModels, useProjectAgents } from "../../service/reads.ts";
import { choicesOf, choose, type Chosen, type EditMode } from "../../service/choices.ts";

const MODES: Readonly<Record<EditMode, readonly [name: string, icon: LucideIcon, about: string]>> = {
  ask: ["Ask first", Hand, "The agent asks before it changes files or runs commands"],
  allow: ["Allow all", PenLine, "The agent changes files and runs commands without asking"],
  plan: ["Plan only", NotebookPen, "The agent reads and plans, and changes nothing"],
};

/** How the next message is sent: its edit mode, model and agent. The project's choices are remembered. */
export function Chips({ project }: { project: string }) {
  const { mode, model, agent } = choicesOf(project).value;
  const [name, icon] = MODES[mode];
  return (
    <>
      <Chip label={`Mode: ${name}`} icon={icon} name={name}>
        {(["ask", "allow", "plan"] as const).map((each) => (
          <MenuChoice
            key={each}
            icon={MODES[each][1]}
            isChosen={each === mode}
            mark={Check}
            about={MODES[each][2]}
            onPicked={() => choose(project, { mode: each })}
          >
            {MODES[each][0]}
          </MenuChoice>
        ))}
      </Chip>
      <Chip
        label={`Model: ${model?.name ?? "Default"}`}
        icon={Cpu}
        name={model?.name ?? "Default model"}
        isUnset={!model}
      >
        <Models chosen={model} pick={(picked) => choose(project, { model: picked })} />
      </Chip>
      <Chip
        label={`Agent: ${agent?.name ?? "Default"}`}
        icon={Bot}
        name={agent?.name ?? "Default agent"}
        isUnset={!agent}
      >
        <Agents project={project} chosen={agent} pick={(picked) => choose(project, { agent: picked })} />
      </Chip>
    </>
  );
}

function Chip({
  label,
  icon,
  name,
  isUnset = false,
  children,
}: {
  label: string;
  /** Whether nothing is chosen, so that its name says little. */
  isUnset?: boolean;
  icon: LucideIcon;
  name: string;
  children: ComponentChildren;
}) {
  const face = (
    <>
      <Icon of={icon} />
      <span class="chip-name" dir="auto">
        {name}
      </span>
      <Icon of={ChevronDown} />
    </>
  );
  return (
    <Menu label={label} face={face} class={`quiet chip${isUnset ? " unset" : ""}`}>
      {children}
    </Menu>
  );
}

interface ChoiceProps {
  chosen: Chosen | undefined;
  pick: (picked: Chosen | undefined) => void;
}

/** Read when the menu is opened. */
function Models(props: ChoiceProps) {
  const { data, error } = useModels();
  return <Named {...props} none="Default model" found={data?.models} error={error} />;
}

function Agents({ project, ...props }: ChoiceProps & { project: string }) {
  const { data, error } = useProjectAgents(project);
  return <Named {...props} none="Default agent" found={data} error={error} />;
}

function Named({
  none,
  found,
  error,
  chosen,
  pick,
}: ChoiceProps & {
  none: string;
  found: readonly { id: string; name: string }[] | undefined;
  error: unknown;
}) {
  return (
    <>
      <MenuChoice isChosen={chosen === undefined} mark={Check} onPicked={() => pick(undefined)}>
        {none}
      </MenuChoice>
      {found?.map(({ id, name }) => (
        <MenuChoice key={id} isChosen={id === chosen?.id} mark={Check} onPicked={() => pick({ id, name })}>
          {name}
        </MenuChoice>
      ))}
      {found === undefined && <MenuNote>{error ? "The list could not be read." : "Loading…"}</MenuNote>}
    </>
  );
}
