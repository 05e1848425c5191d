/** One terminal of the page. */
export interface Tab {
  /** Names it among those of the project. */
  readonly number: number;
  readonly target: string;
  /** What to resume after a reload. */
  readonly session: string | undefined;
}

/** The terminals of a project in this browser tab, for its reloads. */
export function readTabs(project: string): Tab[] {
  const lines = (sessionStorage.getItem(nameOf(project)) ?? "").split("\n");
  return lines.flatMap((line) => {
    const [number, target, session] = line.split(" ");
    const isWhole = Number(number) > 0 && target !== undefined && target !== "";
    return isWhole ? [{ number: Number(number), target, session: session || undefined }] : [];
  });
}

export function keepTabs(project: string, tabs: readonly Tab[]): void {
  const lines = tabs.map(({ number, target, session = "" }) => `${number} ${target} ${session}`);
  sessionStorage.setItem(nameOf(project), lines.join("\n"));
}

const nameOf = (project: string) => `terminals.${project}`;
