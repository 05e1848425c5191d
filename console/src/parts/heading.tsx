import { createContext, type ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";

const PRODUCT = "Agent Workspace";

/** The name of the project that a page belongs to; empty outside of projects. */
export const ProjectName = createContext("");

interface HeadingProps {
  /** What can be done on the page, beside its name. */
  actions?: ComponentChildren;
  /** Whether the page says its name to screen readers alone. */
  isHidden?: boolean;
  children: ComponentChildren;
}

/** The name of a page: its only `h1`, and the title of the tab. */
export function Heading({ actions, isHidden = false, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const project = useContext(ProjectName);
  useLayoutEffect(() => {
    const page = heading.current?.textContent ?? "";
    const names = page === project ? [page] : [page, project];
    document.title = [...names, PRODUCT].filter((name) => name !== "").join(" · ");
  });
  if (isHidden) {
    return (
      <h1 class="hidden" ref={heading}>
        {children}
      </h1>
    );
  }
  return (
    <div class="page-head">
      <h1 ref={heading}>{children}</h1>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
  );
}
