import type { CpuProfile } from "./cpu-profile.ts";

export interface Spent {
  /** A function with its module, or an area. */
  where: string;
  /** Milliseconds in the function itself. */
  self: number;
  /** Milliseconds in the function and its callees. */
  total: number;
}

/** Times by function and by area, the largest self time first. */
export interface Times {
  functions: Spent[];
  areas: Spent[];
}

/** The module of a line of a file, such as `node_modules/hono/dist/hono.js`; empty for the runtime's own code. */
export type ModuleOf = (url: string, line: number) => string;

/** V8's names for idle time. `(program)` contains workerd's own work as well as its waiting, so it is left out. */
const NOTHING = new Set(["(idle)", "(program)", "(root)"]);

export function timesOf({ nodes, samples, timeDeltas }: CpuProfile, moduleOf: ModuleOf): Times {
  const self = new Map<number, number>();
  samples.forEach((id, index) => self.set(id, (self.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1000));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, Spent>();
  const areas = new Map<string, Spent>();

  /** Returns the time of a node and all nodes below it. In a recursion only the outermost call counts as total. */
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id);
    if (!node) return 0;
    const { functionName: name, url, lineNumber } = node.callFrame;
    const module = moduleOf(url, lineNumber);
    const places = NOTHING.has(name)
      ? []
      : [
          { list: functions, where: `${name || "(anonymous)"}  ${module}` },
          { list: areas, where: areaOf(module, name) },
        ];
    const below = new Set([...above, ...places.map(({ where }) => where)]);
    const own = self.get(id) ?? 0;
    const total = node.children.reduce((sum, child) => sum + walk(child, below), own);
    for (const { list, where } of places) {
      const spent = list.get(where) ?? { where, self: 0, total: 0 };
      list.set(where, spent);
      spent.self += own;
      if (!above.has(where)) spent.total += total;
    }
    return NOTHING.has(name) ? total - own : total;
  };
  const root = nodes[0];
  if (root) walk(root.id, new Set());
  const most = (list: Map<string, Spent>) => [...list.values()].toSorted((a, b) => b.self - a.self);
  return { functions: most(functions), areas: most(areas) };
}

/** A package's name, or two folder levels for the project's own modules. */
function areaOf(module: string, name: string): string {
  if (name === "(garbage collector)") return name;
  const named = /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(module)?.[1];
  return named ?? (module.split("/").slice(0, 2).join("/") || "the runtime");
}
