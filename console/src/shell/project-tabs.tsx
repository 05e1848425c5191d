import { useLocation } from "wouter-preact";
import { Tabs } from "../parts/tabs.tsx";
import { TABS } from "./places.ts";

/** The pages of one project. Below them an address says more, such as which file is open. */
export function ProjectTabs({ project }: { project: string }) {
  const [location] = useLocation();
  const at = `/projects/${project}`;
  const tabs = TABS.map(({ path, name }) => ({ path: at + path, name }));
  const current = tabs.findLast(({ path }) => location === path || location.startsWith(`${path}/`))?.path;
  return <Tabs label="Project" tabs={tabs} current={current} />;
}
