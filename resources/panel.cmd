@echo off
rem The panel command in a terminal: a window program is not waited for unless it is said.
start "" /wait /b "%~dp0Gatehouse.exe" panel %*
exit /b %ERRORLEVEL%
