/** Starts the dashboard; the credential leaves the address before anything else runs. */
import { render } from 'preact';
import { App } from './app/app';
import { applyTheme, storedTheme } from './app/theme';
import { takeToken } from './app/token';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/charts.css';
import './styles/pages.css';

const token = takeToken();
applyTheme(storedTheme());
const root = document.getElementById('app');
if (root) render(<App token={token} />, root);
