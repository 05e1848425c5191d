import type { ComponentChildren } from "preact";
import { Icon, type LucideIcon } from "./icon.tsx";

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  /** The first step: a button or a link. */
  action?: ComponentChildren;
  /** What this is for. */
  children: ComponentChildren;
}

/** A list without anything: what it is for, and the first step. */
export function Empty({ icon, title, action, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon of={icon} />
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div class="actions">{action}</div>}
    </div>
  );
}
