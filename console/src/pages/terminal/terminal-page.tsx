import { useRef, useState } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { NamedOptions } from "../../parts/fields.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { useRead } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { keepTabs, readTabs, type Tab } from "./kept-tabs.ts";
import "./terminal.css";

const TerminalView = lazily(async () => (await import("../../terminal/terminal-view.tsx")).TerminalView);

/** Shells in a project, side by side in tabs, which stay over a reload. */
export function TerminalPage({ project }: { project: string }) {
  const role = useProjectRole(project);
  if (role === "viewer") {
    return (
      <>
        <Heading>Terminal</Heading>
        <p class="notice">
          Viewers cannot open a terminal. An administrator of the project can change your role in Settings.
        </p>
      </>
    );
  }
  return (
    <WhenAwake
      project={project}
      needs="running"
      title="Terminal"
      purpose="A terminal needs a running project."
    >
      {role && <Terminals project={project} />}
    </WhenAwake>
  );
}

interface Target {
  id: string;
  name: string;
}

function Terminals({ project }: { project: string }) {
  const targets = useRead(["terminal-targets", project], async (signal) => {
    const path = { project };
    const found = await workspace.request("GET", "/api/terminal/{project}/targets", { path, signal });
    return [...found.targets, ...found.actions];
  });
  return <Loaded of={targets}>{(found) => <Tabs project={project} targets={found} />}</Loaded>;
}

function Tabs({ project, targets }: { project: string; targets: readonly Target[] }) {
  // The first visit opens one, where the list begins.
  const [tabs, setTabs] = useState<Tab[]>(() => {
    const kept = readTabs(project);
    const [first] = targets;
    return kept.length > 0 || !first ? kept : [{ number: 1, target: first.id, session: undefined }];
  });
  const [shown, setShown] = useState(tabs[0]?.number);
  const [isReadAloud, setReadAloud] = useState(localStorage.getItem("terminal.reader") === "on");
  const choice = useRef<HTMLSelectElement>(null);

  const change = (next: (before: Tab[]) => Tab[]) =>
    setTabs((before) => {
      const after = next(before);
      keepTabs(project, after);
      return after;
    });
  const open = (target: string) => {
    const number = Math.max(0, ...tabs.map((tab) => tab.number)) + 1;
    change((before) => [...before, { number, target, session: undefined }]);
    setShown(number);
  };
  const close = (number: number) => {
    change((before) => before.filter((tab) => tab.number !== number));
    setShown(tabs.find((tab) => tab.number !== number)?.number);
  };
  const replace = ({ number, target }: Tab) => {
    close(number);
    open(target);
  };
  const nameOf = ({ number, target }: Tab) =>
    `${number}: ${targets.find(({ id }) => id === target)?.name ?? target}`;

  return (
    <div class="filling terminals">
      <Heading isHidden>Terminal</Heading>
      <div class="row">
        {tabs.map((tab) => (
          <span key={tab.number} class="row terminal-tab">
            <button type="button" aria-pressed={tab.number === shown} onClick={() => setShown(tab.number)}>
              {nameOf(tab)}
            </button>
            <button type="button" aria-label={`Close ${nameOf(tab)}`} onClick={() => close(tab.number)}>
              ×
            </button>
          </span>
        ))}
        <span class="spring" />
        <label for="target">In</label>
        <select id="target" ref={choice}>
          <NamedOptions of={targets} />
        </select>
        <button type="button" class="primary" onClick={() => open(choice.current?.value ?? "")}>
          New terminal
        </button>
        <label class="row switch">
          <input
            type="checkbox"
            checked={isReadAloud}
            onChange={({ currentTarget: { checked } }) => {
              setReadAloud(checked);
              localStorage.setItem("terminal.reader", checked ? "on" : "off");
            }}
          />
          Screen reader mode
        </label>
      </div>
      {tabs.length === 0 && (
        <p class="muted">
          No terminal is open. Choose where it runs, then open one. Shift+Tab leaves a terminal by keyboard.
        </p>
      )}
      {tabs.map((tab) => (
        <TerminalView
          key={tab.number}
          project={project}
          target={tab.target}
          session={tab.session}
          name={`Terminal ${nameOf(tab)}`}
          isShown={tab.number === shown}
          isReadAloud={isReadAloud}
          onSession={(session) =>
            change((before) =>
              before.map((each) => (each.number === tab.number ? { ...each, session } : each)),
            )
          }
          onLeave={() => choice.current?.focus()}
          onAgain={() => replace(tab)}
        />
      ))}
    </div>
  );
}
