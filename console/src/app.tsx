import { useState } from "preact/hooks";
import { Link, Route, Switch } from "wouter-preact";
import * as pages from "./pages.ts";
import { ChatPage } from "./pages/chat/chat-page.tsx";
import { FirstRunPage } from "./pages/first-run/first-run-page.tsx";
import { ProjectPage } from "./pages/projects/project-page.tsx";
import { ProjectsPage } from "./pages/projects/projects-page.tsx";
import { Heading, ProjectName } from "./parts/heading.tsx";
import { Loaded } from "./parts/loaded.tsx";
import { useProjects, useSidebar } from "./service/reads.ts";
import { ProjectTabs } from "./shell/project-tabs.tsx";
import { Shell } from "./shell/shell.tsx";
import { Workbench } from "./workbench/workbench.tsx";

/** Whether the console is served by the machine of its developer. */
const IS_DEVELOPED = ["127.0.0.1", "localhost"].includes(location.hostname);

/** The addresses of the console, below `/app`. A pattern that is a text matches no name with a newline, which a file can have. */
export function App() {
  return (
    <Shell>
      <Switch>
        <Route path="/">
          <Home />
        </Route>
        <Route path="/projects/new">
          <FirstRunPage />
        </Route>
        <Route path={/^\/projects\/(?<project>[^/]+)(?:\/|$)/u}>
          {({ project = "" }) => <InProject key={project} project={project} />}
        </Route>
        <Route path="/waiting">
          <pages.WaitingPage />
        </Route>
        <Route path="/runs/:task">{({ task }) => <pages.RunPage key={task} task={task} />}</Route>
        <Route path="/runs">
          <pages.RunsPage />
        </Route>
        <Route path="/keys">
          <pages.KeysPage />
        </Route>
        <Route path="/models/*?">
          <pages.ModelsPage />
        </Route>
        <Route path="/agents/*?">
          <pages.AgentsPage />
        </Route>
        <Route path="/git-hosts">
          <pages.GitHostsPage />
        </Route>
        <Route path="/mcp-servers/*?">
          <pages.McpServersPage />
        </Route>
        <Route path="/channels/*?">
          <pages.ChannelsPage />
        </Route>
        <Route path="/schedules/*?">
          <pages.SchedulesPage />
        </Route>
        <Route path="/deployments/*?">
          <pages.DeploymentsPage />
        </Route>
        <Route path="/marketplace/*?">
          <pages.MarketplacePage />
        </Route>
        <Route path="/usage">
          <pages.UsagePage />
        </Route>
        <Route path="/billing">
          <pages.BillingPage />
        </Route>
        <Route path="/team/*?">
          <pages.TeamPage />
        </Route>
        <Route path="/account/*?">
          <pages.AccountPage />
        </Route>
        <Route path="/admin/*?">
          <pages.AdminPage />
        </Route>
        {IS_DEVELOPED && (
          <Route path="/_parts">
            <pages.PartsPage />
          </Route>
        )}
        <Route>
          <NoPage />
        </Route>
      </Switch>
    </Shell>
  );
}

/** The pages of one project, which its id or its slug names. */
function InProject({ project }: { project: string }) {
  const at = `/projects/${project}`;
  const { data: tree } = useSidebar();
  const name = tree?.projects.find(({ id, slug }) => id === project || slug === project)?.name;
  return (
    <ProjectName.Provider value={name ?? ""}>
      <ProjectTabs project={project} />
      <Switch>
        <Route path={at}>
          <ProjectPage project={project} />
        </Route>
        <Route path={`${at}/chats/:chat`}>
          {({ chat }) => (
            <Workbench project={project}>
              <ChatPage key={chat} project={project} chat={chat ?? ""} />
            </Workbench>
          )}
        </Route>
        <Route path={/^\/projects\/[^/]+\/files(?:\/|$)/u}>
          <pages.FilesPage project={project} />
        </Route>
        <Route path={`${at}/changes/*?`}>
          <pages.ChangesPage project={project} />
        </Route>
        <Route path={`${at}/history/*?`}>
          <pages.HistoryPage project={project} />
        </Route>
        <Route path={`${at}/terminal`}>
          <pages.TerminalPage project={project} />
        </Route>
        <Route path={`${at}/containers/*?`}>
          <pages.ContainersPage project={project} />
        </Route>
        <Route path={`${at}/preview`}>
          <pages.PreviewPage project={project} />
        </Route>
        <Route path={`${at}/settings`}>
          <pages.SettingsPage project={project} />
        </Route>
        <Route>
          <NoPage />
        </Route>
      </Switch>
    </ProjectName.Provider>
  );
}

function NoPage() {
  return (
    <>
      <Heading>Page not found</Heading>
      <p class="muted">
        The link may be old or mistyped. <Link href="/">Go to your projects</Link>
      </p>
    </>
  );
}

/** A person without a project begins with one. */
function Home() {
  const projects = useProjects();
  // The project that is being made is in the list before it is there.
  const [isMaking, setMaking] = useState(false);
  return (
    <Loaded of={projects} title="Projects">
      {(found) =>
        found.length === 0 || isMaking ? (
          <FirstRunPage begun={() => setMaking(true)} />
        ) : (
          <ProjectsPage projects={found} />
        )
      }
    </Loaded>
  );
}
