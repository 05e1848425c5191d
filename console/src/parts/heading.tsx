import { createContext, type ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { pageName } from "../service/tab-title.ts";

const PRODUCT = "Agent Workspace";

/** The name of the project that a page belongs to; empty outside of projects. */
export const ProjectName = createContext("");

/** Whether what is shown stands beside a page, which has its own name. */
export const BesideThePage = createContext(false);

interface HeadingProps {
  /** What can be done on the page, beside its name. */
  actions?: ComponentChildren;
  /** Whether the page says its name to screen readers alone. */
  isHidden?: boolean;
  children: ComponentChildren;
}

/** The name of a page: its only `h1`, and the title of the tab. Beside a page it is an `h2`. */
export function Heading({ actions, isHidden = false, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const project = useContext(ProjectName);
  const isBeside = useContext(BesideThePage);
  const Name = isBeside ? "h2" : "h1";
  useLayoutEffect(() => {
    if (isBeside) return;
    const page = heading.current?.textContent ?? "";
    const names = page === project ? [page] : [page, project];
    pageName.value = [...names, PRODUCT].filter((name) => name !== "").join(" · ");
  });
  if (isHidden) {
    return (
      <Name class="hidden" ref={heading} dir="auto">
        {children}
      </Name>
    );
  }
  return (
    <div class="page-head">
      <Name ref={heading} dir="auto">
        {children}
      </Name>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
  );
}
