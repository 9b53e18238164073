/** How the pages are built: hashed names, one chunk per route, nothing inlined (the policy forbids inline code). */
import { defineConfig } from 'vitest/config';

const api = process.env['TOUCHSTONE_API'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    outDir: 'dist',
    manifest: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  test: { include: ['test/unit/**/*.test.ts'] },
  server: { proxy: { '/api': api, '/healthz': api, '/readyz': api, '/openapi.json': api } },
});
