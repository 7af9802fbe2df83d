<#
.SYNOPSIS
Installs the dlv program for the current user, without Node and without administrators' rights.

.EXAMPLE
irm https://github.com/dlv-cli/dlv/releases/latest/download/install.ps1 | iex

.EXAMPLE
.\install.ps1 -From .\dist-release
#>
param(
  # A release other than the latest, such as 0.1.0.
  [string]$Version = 'latest',
  # The folder of the program, if not %LOCALAPPDATA%\Programs\dlv.
  [string]$Dir,
  # A folder or a URL that holds the files of a release.
  [string]$From
)
$ErrorActionPreference = 'Stop'
# Drawing the progress makes PowerShell 5 download many times slower.
$ProgressPreference = 'SilentlyContinue'

function Install-Dlv {
  $archive = 'dlv-win-x64.tar.gz'
  if ([Environment]::OSVersion.Platform -ne 'Win32NT' -or -not [Environment]::Is64BitOperatingSystem) {
    throw 'There is no program for this system. With Node 22.19 or newer: npm install --global dlv-cli'
  }
  if (-not $Dir) { $Dir = Join-Path $env:LOCALAPPDATA 'Programs\dlv' }
  $installed = Join-Path $Dir 'dlv.exe'
  if (Test-Path -PathType Container -LiteralPath $installed) {
    throw "$installed is a folder. Rename it, or choose another folder: -Dir FOLDER"
  }
  if (-not $From) {
    $releases = 'https://github.com/dlv-cli/dlv/releases'
    $From = if ($Version -eq 'latest') { "$releases/latest/download" } else { "$releases/download/v$($Version.TrimStart('v'))" }
  }
  $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  New-Item -ItemType Directory $work | Out-Null
  try {
    foreach ($name in 'SHA256SUMS', $archive) {
      $target = Join-Path $work $name
      if ($From -match '^https?://') { Invoke-WebRequest -UseBasicParsing "$From/$name" -OutFile $target }
      else { Copy-Item -LiteralPath (Join-Path $From $name) $target }
    }
    $line = Get-Content (Join-Path $work 'SHA256SUMS') | Where-Object { ($_ -split '\s+')[1] -eq $archive }
    if (-not $line) { throw "$From has no $archive in SHA256SUMS." }
    $expected = ($line -split '\s+')[0]
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $work $archive)).Hash.ToLowerInvariant()
    if ($actual -ne $expected) {
      throw "The checksum of $archive is wrong: expected $expected, got $actual. Nothing was installed."
    }

    # Windows' own, since 2018: another tar in the Path may take a drive letter for a host.
    & (Join-Path $env:SystemRoot 'System32\tar.exe') -xzf (Join-Path $work $archive) -C $work dlv.exe
    if ($LASTEXITCODE -ne 0) { throw "Cannot unpack $archive." }
    $program = Join-Path $work 'dlv.exe'
    $printed = & $program --version
    if ($LASTEXITCODE -ne 0) { throw 'The program does not run on this machine.' }
    New-Item -ItemType Directory -Force $Dir | Out-Null
    # Windows lets a running program be renamed, but not overwritten.
    if (Test-Path -LiteralPath $installed) { Move-Item -Force -LiteralPath $installed "$installed.old" }
    Copy-Item -LiteralPath $program $installed
    Remove-Item -Force -ErrorAction SilentlyContinue -LiteralPath "$installed.old"

    Write-Output "Installed $printed"
    Write-Output "  from      $From/$archive"
    Write-Output "  SHA-256   $actual, as in SHA256SUMS"
    Write-Output "  to        $installed, the only file; delete it to uninstall"
    if (";$env:Path;" -notlike "*;$Dir;*") {
      Write-Output "$Dir is not in your Path. To add it for you alone:"
      Write-Output "  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';$Dir', 'User')"
    }
  }
  finally { Remove-Item -Recurse -Force $work }
}

Install-Dlv
