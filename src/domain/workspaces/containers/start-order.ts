import type { Connection, Container } from "./queries.ts";

/** A container, and those that it waits for. */
export interface Turn {
  container: Container;
  after: Container[];
}

/**
 * Orders containers so that each comes after those it uses. In a cycle the oldest comes first and waits for none of the
 * cycle.
 */
export function startOrder(containers: readonly Container[], connections: readonly Connection[]): Turn[] {
  const byId = new Map(containers.map((container) => [container.id, container]));
  const visited = new Set<string>();
  const turns: Turn[] = [];
  const visit = (container: Container) => {
    if (visited.has(container.id)) return;
    visited.add(container.id);
    const uses = connections
      .filter((connection) => connection.sourceContainerId === container.id)
      .flatMap((connection) => byId.get(connection.targetContainerId) ?? []);
    uses.forEach(visit);
    const begun = new Set(turns.map((turn) => turn.container.id));
    turns.push({ container, after: uses.filter((used) => begun.has(used.id)) });
  };
  containers.forEach(visit);
  return turns;
}
